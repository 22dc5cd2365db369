from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from functools import cache

import pytest

from gw_core.errors import LoadError
from gw_core.protocols import Loader
from gw_core.testing.loaders import LoaderConformance
from gw_plugins.loaders.pdf import Pdf

pytest.importorskip("pypdfium2", reason="needs the extra docs")

_ENCRYPTED = """
    eNqlVU1oJEUUBvEgfVFREfVSsgQTIen67Z8Qo/0z7Y6bZMdJ1l2TjkvPdM2kl0n30FMTk7Bkve1BRdCT4g/elL0IgiCrgnhaDyJ4WTzoTbyKeF
    BBfDUz2bSOoOBATXW9n+9979V73TONMJonC8yYee2lF99GTdkvSrWStNCTMpdlomSKwAKlRXu4K3OFZou+zAfFsGzLOYMgjIrWJWNpyTAjgigc
    m8bysiHzVItpRe0nAxkVAGCelr09qbJ2gsxa3i7SLO8i83yWe/kgOxGsJbsSaVBzfdhSB304bMA/GW+gAaxKKFYJFYAKqA6Qo/kgc1WmWeIX+2
    gLzhgJVyxQW1jI4WTBcVwHbSOzkZQ6O3vs0ZTjDAdolJmmTcaaRlm016UCKFOXxdyQ+5BSfTfpSn+yB5O9jraBIIAVCsoI7uZGmeQjSC030HEq
    DTCupMIrqWjVapGC0bmBXCvyifXgmOgYIEhU0iu6FQxRwfCGaqco0WyMGV30YmLbMaYClh1TQmImbFjWHMCUMlFZkYea7uzjOTjwh+P4qZhRK6
    aCwRJrlzsxw+BBuEZahgNvxIzxp7U2ZjZfPkb6TzHPyIPnizIdoFk4QKb/PzbcUDpsSx18jjx3BEBWjIkGoWDCYNkXNTqQoTG1iAaIMWZdYCbG
    Qr1jHjMOS3D+yBE4WWAHIIQqQLOf1QqIL2KK7c2YcshFXyj06iXZVjpxYi1uJ7ARCEbA0dYEY2ZxXZNYp7uRqZ6cmG7ugxhDeIiBNUldHOiXfh
    8G0IyS3qDaIlZ17rKegmzNdZXkaVKC9Vm0VBOeE1LLsf3QDXEQRS63fNsLhIgEwQ4JgwiHhFhC8ID7UeBjT9Q4tyLLrXnc8aBtG2ieQ/PCUJvn
    0FLgUzesCU5dzJmHA+Yw32Ou5YVOYLueHwaYB2FgBdjzwtC2cUh9FvjccjmlfogB8BlEKinYfxnY4WjCzDMZdMIWYqPm3q7Ox6Di6kxnD+PorQ
    f1uiNC2R7NS9SDTpocAGlF5l21gwimGmigoEF3jXt2Hl287dNfNj+rf3OnOn3jk3tv7r3xqvzyo9rdL6/eQb99L+w0Tr3+9RcbHx+98+GPszd/
    +vyD6+b915/4/sH7Tl39ytp77Nr84q8PvfvA+82f3zpYufHDBfvN36PD29tXfmtdeOHqd1cuX7vr8OIrfwDrSbwJ//1SdgyMXAPf+iG4CSZQB9
    2SWfDCGWnyE5lLp2TEdadkHE/bcRtPyVw+5UsI51MyaMgTmSqTrCfLUfHhbV0e9BWyRu99sx4iY2uJtIntENfptNJOIkiLCtcVqeOmHIoPzbP8
    7xbbxkzlQ9T95w/R/DxKM2iMv32SgEbeKZAYU2oWhUJ8/LyeHUoo+uj6k1KNboEwVxgzM7WzkfEnTHz0lg==
"""


def _pdf(pages: Sequence[str]) -> bytes:
    """A PDF whose pages show the given content streams; byte 1 of the font is the ligature fi, byte 2 is fl."""
    font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[1/fi/fl]>>>>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>", font]
    for number, content in enumerate(pages):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>"
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    body, places = "%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj{item}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}trailer<</Size {count}/Root 1 0 R>>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


def _line(text: str, x: int = 50, y: int = 700) -> str:
    return f"BT /F 12 Tf {x} {y} Td ({text}) Tj ET\n"


@cache
def _loader() -> Pdf:
    return Pdf()


class TestConformance(LoaderConformance):
    def make(self) -> Loader:
        return _loader()

    def samples(self) -> Iterable[tuple[str, bytes, str]]:
        yield "a.pdf", _pdf([_line("The first page."), _line("The second one.")]), "The second one."


def _text(data: bytes) -> str:
    return _loader().load(data, "a.pdf").text


def test_pages_are_separated_by_form_feeds() -> None:
    assert _text(_pdf([_line("One.") + _line("Two.", y=680), "", _line("Three.")])) == "One.\nTwo.\n\f\n\fThree.\n"


def test_ligatures_are_spelt_out() -> None:
    assert _text(_pdf([_line("e\001cient work\002ow, \001rst")])) == "eficient workflow, first\n".replace(
        "efic", "efic"
    )


def test_columns_are_read_one_after_the_other() -> None:
    columns = "".join(
        _line(f"{side} {row}", x, 700 - 15 * row) for side, x in (("left", 50), ("right", 350)) for row in (1, 2)
    )
    assert _text(_pdf([columns])) == "left 1\nleft 2\nright 1\nright 2\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zlib.decompress(base64.b64decode("".join(_ENCRYPTED.split()))), "encrypted"),
        (b"", "damaged"),
        (b"no PDF at all", "damaged"),
        (b"%PDF-1.7\nand nothing else", "damaged"),
        (_pdf(["0 0 100 100 re f"]), "no-text"),
        (_pdf([]), "damaged"),
    ],
)
def test_what_has_no_text_to_give_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(LoadError) as caught:
        _text(data)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


def test_the_text_holds_no_control_characters() -> None:
    text = _text(_pdf([_line("a\\000b\\007c")]))
    assert not [char for char in text if ord(char) < 32 and char not in "\n\f\t"]


def test_words_divided_between_lines_are_whole_again() -> None:
    lines = ["The effect of exam-", "ples is seen in day-to-", "day use, says one", "and 5 - 3 is two."]
    page = "".join(_line(text, y=700 - 14 * row) for row, text in enumerate(lines))
    assert (
        _text(_pdf([page])).split()
        == "The effect of examples is seen in day-to-day use, says one and 5 - 3 is two.".split()
    )
