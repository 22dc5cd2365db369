"""The conformance kit over the built-in chunkers."""

from gw_core.testing import ChunkerConformance
from gw_plugins.chunkers.text import Text


class TestText(ChunkerConformance):
    bound = 3200

    def make(self):
        return Text()


class TestTextWithTheSmallestSizes(ChunkerConformance):
    bound = 64

    def make(self):
        return Text(target=64, limit=64, overlap=32)
