"""The conformance kit over the built-in backends."""

from gw_core.testing import BackendConformance
from gw_plugins.backends.fts5 import Fts5


class TestFts5(BackendConformance):
    def make(self, index):
        return Fts5(index)
