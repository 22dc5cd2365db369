"""``python -m gw_core`` is ``gw``."""

import os
import sys


def _leave_out_the_working_directory() -> None:
    """With -m, Python looks for modules first where it is run, and there may lie the files of a stranger. Only where
    gw itself lies there is that wanted. (``os`` is loaded already; whatever else were imported could be theirs.)"""
    first = sys.path[0] if sys.path else None
    if first is not None and os.path.join(first, "gw_core", "__main__.py") != __file__:  # noqa: PTH118
        try:
            here = os.getcwd()  # noqa: PTH109
        except OSError:  # it was deleted
            here = ""
        if first in ("", here):
            del sys.path[0]


if __name__ == "__main__":
    _leave_out_the_working_directory()

    from gw_core.cli import main

    main()
