"""For all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("gw", deadline=None)
# CI says the same of the same code each time; new examples are looked for where somebody can look into them.
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "gw")
