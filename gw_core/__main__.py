"""``python -m gw_core`` is ``gw``."""

from gw_core.cli import main

if __name__ == "__main__":
    main()
