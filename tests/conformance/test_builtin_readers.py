"""The conformance kit over the built-in readers."""

from gw_core.testing import ReaderConformance
from gw_plugins.readers.regex import Regex


class TestRegex(ReaderConformance):
    def make(self):
        return Regex()
