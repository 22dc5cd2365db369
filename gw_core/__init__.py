"""gw: ground a language model in your own files.

The public names, and only those. Everything is imported when it is first used, so that ``import gw_core`` is cheap.
"""

from __future__ import annotations

from gw_core.version import __version__

# Not from typing: ``python -m gw_core`` imports this before the working directory, which may hold a typing.py, is left
# out of where modules are looked for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gw_core.ask import Answer
    from gw_core.citation import Citation
    from gw_core.config import Config
    from gw_core.errors import GwError
    from gw_core.evidence import Evidence
    from gw_core.ingest import IngestReport
    from gw_core.model import Verdict
    from gw_core.plugins import Plugins
    from gw_core.retrieve import SearchResult
    from gw_core.verify import Verification
    from gw_core.workspace import Status, Workspace, open  # noqa: A004

_HOMES = {
    "Answer": "ask",
    "Citation": "citation",
    "Config": "config",
    "Evidence": "evidence",
    "GwError": "errors",
    "IngestReport": "ingest",
    "Plugins": "plugins",
    "SearchResult": "retrieve",
    "Status": "workspace",
    "Verdict": "model",
    "Verification": "verify",
    "Workspace": "workspace",
    "open": "workspace",
}

__all__ = [  # noqa: RUF022 - the verbs first
    "open",
    "Workspace",
    "Answer",
    "Citation",
    "Config",
    "Evidence",
    "GwError",
    "IngestReport",
    "Plugins",
    "SearchResult",
    "Status",
    "Verdict",
    "Verification",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'gw_core' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"gw_core.{home}"), name)
    globals()[name] = value
    return value
