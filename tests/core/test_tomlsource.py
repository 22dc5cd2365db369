"""The line of every key, checked against the parser itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gw_core.errors import ConfigError
from gw_core.template import toml
from gw_core.tomlsource import key_lines, parse_key, parse_value, read

SOURCE = '''# a comment = 1
top = "x # y"

[corpus] # more
excludes = [
  "a]", # ]
  'b"',
]
  max_bytes=3
[ readers . "my.reader" ]
text = """
[not.a.table]
key = 1
"""
raw = \'\'\'
x = """ \'\'\'
quoted."a b" . 'c' = {inline = 1, "x" = [1, 2]}
[[many]]
one = 1
[[many]]
one = 2
'''


def test_keys_have_their_lines():
    lines = key_lines(SOURCE)
    assert lines == {
        ("top",): 2,
        ("corpus",): 4,
        ("corpus", "excludes"): 5,
        ("corpus", "max_bytes"): 9,
        ("readers",): 10,
        ("readers", "my.reader"): 10,
        ("readers", "my.reader", "text"): 11,
        ("readers", "my.reader", "raw"): 15,
        ("readers", "my.reader", "quoted"): 17,
        ("readers", "my.reader", "quoted", "a b"): 17,
        ("readers", "my.reader", "quoted", "a b", "c"): 17,
        ("many",): 18,
        ("many", "one"): 19,
    }


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_and_a_byte_order_mark_do_not_shift_lines(tmp_path, ends):
    path = tmp_path / "gw.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SOURCE.replace("\n", ends).encode())
    file = read(path)
    assert file.line(("corpus", "max_bytes")) == 9
    assert file.line(("readers", "my.reader", "quoted", "unheard of")) == 17
    assert file.line(("nowhere",)) == 1


values = st.recursive(
    st.text(max_size=8) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=6), st.dictionaries(st.text(max_size=6), values, min_size=1, max_size=4)))
def test_any_file_is_followed_to_its_end(tables):
    source, expected = "", {}
    for name, table in tables.items():
        source += f"\n# [x]\n[{toml(name)}]\n"
        expected[name,] = source.count("\n")
        for key, value in table.items():
            source += f"{toml(key)} = {toml(value)} # = ]\n"
            expected[name, key] = source.count("\n")
    assert key_lines(source) == expected


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (b"a = 1\nb = \n", 2, "not TOML"),
        (b"a = 1\na = 2\n", 2, "not TOML"),
        (b"a = 1\n\n[b\n", 3, "not TOML"),
        (b'a = """\nnever\nends', 3, "not TOML"),
        (b"a = 1\n# \xff\n", 2, "not UTF-8"),
        (b"[a]\nx = 1\n" + b"y = " + b"[" * 5000, 3, "not TOML"),
    ],
)
def test_what_is_not_toml_is_told_with_its_line(tmp_path, data, line, told):
    path = tmp_path / "gw.toml"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=told) as caught:
        read(path)
    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert "(at " not in caught.value.message


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("1.5", 1.5),
        ("true", True),
        ('"a b"', "a b"),
        ("['a', 'b']", ["a", "b"]),
        ("{a = 1}", {"a": 1}),
        ("bare", "bare"),
        ("two words", "two words"),
        ("", ""),
        ("2020-01-01", "2020-01-01"),
        ("1\nother = 2", "1\nother = 2"),
        ("08", "08"),
        ('"unclosed', '"unclosed'),
        ("a/b.gguf", "a/b.gguf"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_values_on_the_command_line_are_toml_or_bare(text, value):
    assert parse_value(text) == value


def test_keys_are_dotted():
    assert parse_key('a."b.c".d') == ("a", "b.c", "d")
    assert parse_key(" a . b ") == ("a", "b")
    for text in ("", "a.", ".a", "a b", "a..b", "a]"):
        with pytest.raises(ValueError, match="not a key"):
            parse_key(text)
