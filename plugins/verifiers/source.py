"""Do the words that a reading quotes still stand in their files? The core re-reads; this turns it into a score.

An answer's citations are re-read in any case, and decide whether it is grounded. As a verifier the same stands among
the checks of an answer, with a score that can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Check, Identity, Passage, Reading, Reread, Verdict
from gw_core.protocols import Verifier


class Source:
    """The share of quotes that stand in a passage and, re-read, in its file."""

    identity = Identity("source", "1")

    def check(
        self,
        question: str,  # noqa: ARG002
        reading: Reading,
        passages: Sequence[Passage],  # noqa: ARG002
        rereads: Sequence[Reread],
    ) -> Check:
        # Two quotes of one span are re-read once.
        quoted = len({(quote.passage, quote.text) for quote in reading.quotes})
        if not quoted:
            return Check("source", 0.0, "nothing is quoted")
        fallen = [one for one in rereads if one.verdict is not Verdict.VERIFIED]
        lost = [f"{one.path}:{one.start}-{one.end} {one.verdict.value}" for one in fallen]
        stands = len(rereads) - len(fallen)
        if stands >= quoted:
            return Check("source", 1.0)
        nowhere = quoted - len(rereads)
        if nowhere > 0:
            lost.append(f"{nowhere} of {quoted} quotes stand in no passage")
        return Check("source", stands / quoted, "; ".join(lost))


@hookimpl
def gw_register_verifiers(register: Register[Verifier]) -> None:
    register("source", "gw_plugins.verifiers.source:Source", help="the quotes stand in their files, re-read")
