"""How often the text of a file in a legacy encoding is read rightly: gw's detector against charset-normalizer.

The texts are the translations that Django carries (``.po`` files, 26 languages), encoded as such files were before
UTF-8: each language as one file, as runs of five messages, and as single messages of 60 characters or more.

    pip install django charset-normalizer
    python benchmarks/detection.py
"""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from gw_core.errors import LoadError
from gw_core.text.decode import decode

WEST = ("fr", "de", "es", "it", "sv", "pt", "fi", "da", "nl", "is")
SETS: dict[str, list[tuple[str, str]]] = {
    "Windows-1252": [(language, "cp1252") for language in WEST],
    "other Latin": [
        *((language, encoding) for language in ("pl", "cs", "hu") for encoding in ("cp1250", "iso8859-2")),
        ("tr", "cp1254"),
        ("lt", "cp1257"),
        ("de", "cp850"),
    ],
    "other scripts": [
        *(("ru", encoding) for encoding in ("cp1251", "koi8-r", "iso8859-5", "cp866")),
        *((language, "cp1251") for language in ("uk", "bg")),
        *(("el", encoding) for encoding in ("cp1253", "iso8859-7")),
        ("he", "cp1255"),
        ("ar", "cp1256"),
        ("th", "tis-620"),
        ("ja", "shift_jis"),
        ("ja", "euc_jp"),
        ("ko", "euc_kr"),
        ("zh_Hant", "big5"),
        ("zh_Hans", "gb18030"),
    ],
}
_MESSAGE = re.compile(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', re.MULTILINE)


def messages(package: Path, language: str) -> list[str]:
    found = []
    for path in sorted(package.glob(f"**/locale/{language}/LC_MESSAGES/*.po")):
        for match in _MESSAGE.finditer(path.read_text("utf-8")):
            text = "".join(re.findall(r'"(.*)"', match[1])).replace("\\n", "\n").replace('\\"', '"')
            if text and "Content-Type" not in text:
                found.append(text)
    return found


def samples(package: Path) -> Iterator[tuple[str, str, bytes, str]]:
    """``(set, size, bytes, text)``; what the encoding cannot express is left out of the text."""
    for name, pairs in SETS.items():
        for language, encoding in pairs:
            texts = messages(package, language)
            long = [text for text in texts if len(text) > 60]
            sized = [("whole file", "\n".join(texts))]
            sized += [("one message", text) for text in long[:: max(1, len(long) // 30)]]
            sized += [
                ("five messages", "\n".join(long[at : at + 5]))
                for at in range(0, len(long) - 5, max(1, len(long) // 15))
            ]
            for size, text in sized:
                data = text.encode(encoding, "ignore")
                if not data.isascii():
                    yield name, size, data, data.decode(encoding)


def gw(data: bytes) -> str | None:
    try:
        return decode(data).text
    except LoadError:
        return None


def charset_normalizer(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    # The same candidates, and no more: without them it does worse.
    encodings = sorted({encoding.replace("-", "_") for pairs in SETS.values() for _, encoding in pairs})
    best = from_bytes(data, cp_isolation=encodings, preemptive_behaviour=False, enable_fallback=False).best()
    return data.decode(best.encoding, "replace") if best else None


def main() -> int:
    spec = importlib.util.find_spec("django")
    if spec is None or not spec.submodule_search_locations:
        print("Django, whose translations are the texts, is not installed", file=sys.stderr)
        return 2
    whole = list(samples(Path(spec.submodule_search_locations[0])))
    detectors: list[Callable[[bytes], str | None]] = [gw]
    if importlib.util.find_spec("charset_normalizer"):
        detectors.append(charset_normalizer)
    for detector in detectors:
        right: dict[tuple[str, str], list[bool]] = defaultdict(list)
        began = time.process_time()
        for name, size, data, text in whole:
            right[name, size].append(detector(data) == text)
        seconds = time.process_time() - began
        print(f"{detector.__name__}: {sum(map(sum, right.values()))} of {len(whole)} right, {seconds:.1f} s of CPU")
        for (name, size), each in sorted(right.items()):
            print(f"    {name:<14} {size:<14} {sum(each):4} of {len(each)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
