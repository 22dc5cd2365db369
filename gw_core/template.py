"""The commented gw.toml that ``gw init`` writes: every key of the fixed sections with its default, switched off."""

from __future__ import annotations

import json
from typing import Any

from gw_core.settings import SECTIONS, documented

_HEAD = """\
# Settings of gw for this folder. A line that begins with '#' and a key shows the default: take the '#' away to change
# it. `gw config` shows every setting and where it comes from. Paths are relative to this file.
"""
_TAIL = """\
# A component with settings of its own gets a name, which the sections above can use:
#
# [readers.mine]
# use = "regex"
#
# `gw plugins` lists what there is to `use`.
"""


def template() -> str:
    """Valid TOML that changes nothing; with the marked lines switched on, it still says what the defaults are."""
    parts = [_HEAD]
    for section, made_of in SECTIONS.items():
        lines = [f"# {(made_of.__doc__ or '').strip()}", f"[{section}]"]
        for key, default, doc in documented(section):
            lines += [f"# {doc}", f"#{key} = {toml(default)}"]
        parts.append("\n".join(lines) + "\n")
    parts.append(_TAIL)
    return "\n".join(parts)


def toml(value: Any) -> str:
    """A setting's value as TOML. Raises :class:`TypeError` for what TOML has no word for."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # TOML's basic strings are JSON's, but for DEL, which JSON leaves bare.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(key))} = {toml(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"no TOML value: {value!r}")
