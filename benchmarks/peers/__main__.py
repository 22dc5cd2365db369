"""``python benchmarks/peers``, and ``python -m peers`` from the folder above: see :mod:`peers.run`."""

import sys
from pathlib import Path

# Python puts this folder first; what is wanted is the one above, where the package and measure.py are.
FOLDER = str(Path(__file__).resolve().parents[1])
if sys.path[0] != FOLDER:
    sys.path[0] = FOLDER

from peers.run import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
