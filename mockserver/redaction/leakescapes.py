"""Undoes what writes single characters in another way: percent, JSON and YAML escapes, HTML, mail.

Each is undone at once, and piece by piece where it must be told what stood where.
"""

import html
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from mockserver.redaction.leaklayers import Layer, Piece

_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"0": b"\0"}
_FOLD = rb"\\\r?\n[ \t]*\\?"
_NUMBERS = rb"(?:\\u[0-9a-fA-F]{4})+|\\x[0-9a-fA-F]{2}|\\U[0-9a-fA-F]{8}"
_ESCAPES = re.compile(rb"%b|%b|\\[\"\\/ nrtbf0]" % (_FOLD, _NUMBERS))
_FOLDS = re.compile(_FOLD)
_UNCOMMON = re.compile(rb"%b|\\[rtbf0]" % _NUMBERS)
_COMMON = ((b'\\"', b'"'), (b"\\n", b"\n"), (b"\\/", b"/"), (b"\\ ", b" "))
_BACKSLASH = b"\0\1\0"
"""Stands for an escaped backslash while the other escapes are undone."""


def _escape(run: bytes) -> bytes:
    kind = run[1:2]
    if kind == b"u":
        units = bytes.fromhex(run.replace(b"\\u", b"").decode("ascii"))
        return units.decode("utf-16-be", "replace").encode()
    if kind in b"xU":
        return chr(min(int(run[2:], 16), 0x10FFFF)).encode("utf-8", "replace")
    return b"" if kind in b"\r\n" else _LETTERS.get(kind, kind)


def _escapes_at_once(content: bytes) -> bytes:
    content = _FOLDS.sub(b"", content.replace(b"\\\\", _BACKSLASH))
    for escaped, meant in _COMMON:
        content = content.replace(escaped, meant)
    content = _UNCOMMON.sub(lambda match: _escape(match[0]), content)
    return content.replace(_BACKSLASH, b"\\")


def _entity(run: bytes) -> bytes:
    return html.unescape(run.decode("ascii")).encode("utf-8", "replace")


def _mail(run: bytes) -> bytes:
    return b"" if run.endswith(b"\n") else bytes.fromhex(run.replace(b"=", b"").decode("ascii"))


def _nothing(_: bytes) -> bytes:
    return b""


def _by_runs(runs: re.Pattern[bytes], meaning: Callable[[bytes], bytes], content: bytes) -> bytes:
    return runs.sub(lambda match: meaning(match[0]), content)


class _Coding(NamedTuple):
    name: str
    sign: re.Pattern[bytes]
    runs: re.Pattern[bytes]
    meaning: Callable[[bytes], bytes]
    at_once: Callable[[bytes], bytes]


def _coding(
    name: str, sign: bytes, runs: bytes | re.Pattern[bytes], meaning: Callable[[bytes], bytes],
    at_once: Callable[[bytes], bytes] | None = None,
) -> _Coding:  # fmt: skip
    pattern = re.compile(runs)
    return _Coding(
        name, re.compile(sign), pattern, meaning, at_once or partial(_by_runs, pattern, meaning)
    )


_ENTITIES = rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);"
_EVERYWHERE = (
    _coding("escaped", rb"\\", _ESCAPES, _escape, _escapes_at_once),
    _coding(
        "percent-encoded", rb"%[0-9A-Fa-f]{2}", rb"(?:%[0-9A-Fa-f]{2})+", unquote_to_bytes,
        unquote_to_bytes,
    ),
    _coding("HTML entities", _ENTITIES, _ENTITIES, _entity),
)  # fmt: skip
"""Undone one after the other, all of them for one reading: they stand beside one another."""

_ELSEWHERE = (
    _coding(
        "quoted-printable", rb"(?i)quoted-printable", rb"(?:=[0-9A-F]{2})+|=\r?\n", _mail,
    ),
    _coding(
        "split over chunks", rb"\r\n[0-9a-fA-F]{1,8}\r\n",
        rb"\r\n[0-9a-fA-F]{1,8}(?:;[^\r\n]*)?\r\n",
        _nothing,
    ),
)  # fmt: skip
"""Undone for readings of their own, and once."""


def unescaped(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which other ways of writing characters are undone.

    Yields:
        One with all that stands side by side undone, then those that are apart.
    """
    last = layer
    for coding in _EVERYWHERE:
        last = _undone(last, coding)
    if last is not layer:
        yield last
    for coding in _ELSEWHERE:
        if coding.name not in layer.form and (inner := _undone(layer, coding)) is not layer:
            yield inner


def plain(content: bytes) -> bytes:
    r"""A content with everything undone that may be written anywhere.

    >>> plain(rb"ann\u0040corp%2eexample")
    b'ann@corp.example'
    """
    for coding in _EVERYWHERE:
        content = coding.at_once(content)
    return content


def _undone(layer: Layer, coding: _Coding) -> Layer:
    if not coding.sign.search(layer.content):
        return layer
    content = coding.at_once(layer.content)
    pieces = partial(_pieces, layer.content, coding)
    return (
        layer
        if content == layer.content
        else Layer(content, layer, coding.name, pieces, text=layer.text)
    )


def _pieces(content: bytes, coding: _Coding) -> Iterator[Piece]:
    done = 0
    for match in coding.runs.finditer(content):
        yield done, content[done : match.start()]
        yield match.start(), coding.meaning(match[0])
        done = match.end()
    yield done, content[done:]
