"""The kit of gw, run over what this distribution offers."""

from gw_core.testing import BackendConformance, ReaderConformance
from gw_example_plugin.lines import Lines
from gw_example_plugin.trigrams import Trigrams


class TestTrigrams(BackendConformance):
    def make(self, index):
        return Trigrams(index)


class TestLines(ReaderConformance):
    def make(self):
        return Lines()
