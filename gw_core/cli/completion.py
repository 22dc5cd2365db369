"""``gw completion SHELL``"""

from __future__ import annotations

import click

from gw_core.cli.options import Session, gw_command
from gw_core.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


@gw_command(
    "completion",
    formats=(),
    examples=(
        "gw completion bash >> ~/.bashrc",
        "gw completion zsh > ~/.zfunc/_gw",
        "gw completion fish > ~/.config/fish/completions/gw.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(session: Session, shell: str) -> None:
    """Print a script that completes commands and options in your shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    from gw_core.cli import cli  # noqa: PLC0415

    completion = get_completion_class(shell)
    if completion is None:
        raise UsageError(f"no completion for {shell}", hint=f"known: {', '.join(SHELLS)}")
    session.console.write(completion(cli, {}, "gw", "_GW_COMPLETE").source())
