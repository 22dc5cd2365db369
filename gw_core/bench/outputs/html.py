"""A report as one HTML file that needs nothing else: no network, no other file.

Everything but the charts and the list of questions stands in the page as it is, so that it reads without JavaScript
too. plotly's own script is packed into the page and unpacked by the browser. A Content-Security-Policy lets the page
run its own two scripts, by their hashes, and load nothing: whatever texts a report holds, they stay text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from gw_core.bench.outputs import html_parts as parts
from gw_core.bench.outputs.html_figures import Chart, charts
from gw_core.bench.outputs.html_task import section
from gw_core.bench.outputs.shown import verdict
from gw_core.errors import MissingExtraError
from gw_core.plain import dumps, printable

Report = Mapping[str, Any]


def require() -> None:
    """Raises :class:`MissingExtraError` if the charts cannot be made here. To be called before anything is measured."""
    _plotly()


def html(report: Report) -> str:
    """The whole page; the same for the same report and the same version of plotly.

    Raises :class:`MissingExtraError` without plotly.
    """
    plotly = _plotly()
    script = _resource("report.js")
    drawn = [list(charts(task)) for task in report["tasks"]]
    found = verdict(report)
    title = f"gw bench: {found.word}, {report['provenance']['started']}"
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, plotly)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{parts.text(title)}</title>",
        f"<style>\n{_resource('report.css')}</style>",
    ]
    body = [
        parts.header(report, found),
        '<main id="main">',
        parts.failures(report),
        parts.gates(report),
        parts.comparison(report),
        *(section(at, task, drawn[at]) for at, task in enumerate(report["tasks"])),
        parts.provenance(report),
        "</main>",
        *_islands(report, drawn),
    ]
    if any(drawn):
        packed = base64.b64encode(gzip.compress(plotly.encode("utf-8"), 9, mtime=0)).decode("ascii")
        body.append(f'<script type="text/plain" id="plotly">{packed}</script>')
    body.append(f"<script>{script}</script>")
    lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, "</body>", "</html>"]
    return "\n".join(one for one in lines if one) + "\n"


def _plotly() -> str:
    """The text of plotly's script, which its distribution brings along."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            f"the HTML report needs a package that is not installed: {error}",
            hint="pip install 'gw-toolkit[report]'",
        ) from error
    return str(get_plotlyjs())


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _policy(*scripts: str) -> str:
    """Only these scripts run. Styles may be inline, as plotly sets some; pictures may be data, as its heat maps are."""
    hashes = [base64.b64encode(hashlib.sha256(one.encode("utf-8")).digest()).decode("ascii") for one in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _islands(report: Report, drawn: list[list[Chart]]) -> list[str]:
    """The data that the page's script reads: all charts, and the questions of each task, read when they are opened."""
    found = [_island("charts", [one.figure for some in drawn for one in some])]
    for at, task in enumerate(report["tasks"]):
        asked = [{**one, "cell": cell["name"]} for cell in task["cells"] for one in cell["questions"]]
        if asked:
            found.append(_island(f"questions-{at}", asked))
    return found


def _island(name: str, value: Any) -> str:
    """JSON in an element of its own. No ``<`` stands in it, so that nothing in it can end or begin an element."""
    text = dumps(_visible(value)).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _visible(value: Any) -> Any:
    """The same data; what would hide text or change its order is made visible in it."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable(str(key)): _visible(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(one) for one in value]
    return value
