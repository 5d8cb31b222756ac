"""The leak gate: finds the secrets left in a file, says where they stand, and replaces them.

A place is told as line, interaction and part, never with the value. A finding in an encoded part is
replaced in the decoded text, which is then encoded again.
"""

import base64
import binascii
import gzip
import html
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote

from typing_extensions import override

from mockserver.errors import require_extra
from mockserver.redaction.encodings import BASE64, HEXADECIMAL, Layer, decode_base64, decoded_layers
from mockserver.redaction.known_secrets import Finding, KnownSecrets, SecretLike
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.stated_values import StatedValues
from mockserver.redaction.unknown_secrets import RANDOM, UnknownSecrets

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_KEY = re.compile(
    rb"""^(?P<indent>[ ]*(?:-[ ]+)*)["']?(?P<key>[A-Za-z_]+)["']?[ ]*:(?:[ \r\n]|$)"""
)
_LISTS = (b"interactions", b"http_interactions", b"entries", b"mappings")
"""What a list of interactions is called in cassettes, in HAR files, by WireMock."""

_LIST = re.compile(
    rb"""^["']?(?P<name>(?:%b))["']?:[ ]*\r?\n(?P<dash>[ ]*-)""" % b"|".join(_LISTS), re.MULTILINE
)
_LONGEST_KEY = 200

_PARTS = {
    b"body": "body", b"content": "body", b"postData": "body", b"cookies": "cookies",
    b"headers": "headers", b"metadata": "metadata", b"queryString": "query", b"recorded": "notes",
    b"recorded_with": "header", b"status": "status", b"uri": "URL", b"url": "URL",
}  # fmt: skip
_SIDES = {b"request": "request", b"response": "response"}

_DEEPEST = 6

_Path = tuple[bytes | int, ...]


class Places:
    """The places of one file."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(rb"\n", self._content))]

    @cached_property
    def _is_json(self) -> bool:
        return self._content.lstrip()[:1] in (b"{", b"[")

    def line(self, offset: int) -> int:
        """The number of a byte's line, from 1."""
        return bisect_right(self._lines, offset)

    def where(self, offset: int) -> str:
        r"""A byte's line, interaction and part, as far as there are any.

        >>> Places(b"interactions:\n- request:\n    body: hunter2\n").where(36)
        'line 3, interaction 1, request body'
        """
        told = self._json_part(offset) if self._is_json else _describe_path(self._yaml_path(offset))
        return f"line {self.line(offset)}{told}"

    def _json_part(self, offset: int) -> str:
        starts, told = self._json_parts
        return told[bisect_right(starts, offset) - 1]

    @cached_property
    def _json_parts(self) -> tuple[list[int], list[str]]:
        """Where in a JSON text what is to be told changes, and to what."""
        starts, told = [0], [""]
        for offset, path in _json_paths(self._content):
            now = _describe_path(path)
            if now != told[-1]:
                starts.append(offset)
                told.append(now)
        return starts, told

    def _yaml_path(self, offset: int) -> _Path:
        """The keys above a line, by indentation, up to the item of the list of interactions."""
        name, items = self._items
        item = bisect_right(items, offset)
        first = self.line(items[item - 1]) - 1 if item else 0
        path: list[bytes | int] = []
        limit = 1 << 30
        for number in range(self.line(offset) - 1, first - 1, -1):
            match = _KEY.match(self._text(number))
            if match is not None and len(match["indent"]) < limit:
                limit = len(match["indent"])
                path.append(match["key"])
        path.reverse()
        return (name, item - 1, *path) if item and limit else tuple(path)

    @cached_property
    def _items(self) -> tuple[bytes, list[int]]:
        """What the list of interactions is called, and where each of them begins."""
        listed = _LIST.search(self._content)
        if listed is None:
            return b"", []
        items = re.compile(rb"^%b" % listed["dash"], re.MULTILINE)
        return listed["name"], [
            match.start() for match in items.finditer(self._content, listed.start("dash"))
        ]

    def _text(self, number: int) -> bytes:
        start = self._lines[number]
        return self._content[start : start + _LONGEST_KEY].split(b"\n", 1)[0]


def _json_paths(content: bytes) -> Iterator[tuple[int, _Path]]:
    """Where in a JSON text the path changes, as deep as cassettes have words of their own.

    Yields:
        Offset and path.
    """
    path: list[bytes | int] = []
    last = b""
    for match in _TOKENS.finditer(content):
        token = match[0]
        if token in b"{[":
            path.append(b"" if token == b"{" else 0)
        elif token in b"}]":
            del path[-1:]
        elif len(path) > _DEEPEST:
            continue
        elif token == b"," and path:
            item = path[-1]
            path[-1] = item + 1 if isinstance(item, int) else b""
        elif token == b":" and path:
            path[-1] = last
        else:
            last = token.strip(b'"')
            continue
        if len(path) <= _DEEPEST:
            yield match.start(), tuple(path)


def _describe_path(path: _Path) -> str:
    told = [
        f"interaction {after + 1}"
        for key, after in pairwise(path)
        if key in _LISTS and isinstance(after, int)
    ]
    side = next((_SIDES[key] for key in path if key in _SIDES), "")
    part = next((_PARTS[key] for key in path if key in _PARTS), "")
    if side or part:
        told.append(f"{side} {part}".strip())
    return "".join(f", {word}" for word in told)


UNREAD = "unread"
"""The kind of what cannot be looked into: it unpacks to too much."""

_STEP, _OVERLAP = 1 << 18, 1 << 12
"""Bytes that are searched at once: other threads wait for that long."""

_MOST = 1000
"""Places that are told; a file with more is not repaired place by place."""


class Leak(NamedTuple):
    """A secret that is left, without the secret.

    Attributes:
        where: Line and, in a cassette, interaction and part.
        kind: What kind of secret, as the rules call it.
        form: How it is coded there: `as it is`, `base64`, `escaped in gzip in base64` ...
    """

    where: str
    kind: str
    form: str

    @property
    def is_certain(self) -> bool:
        """Whether it is a secret by more than its looks."""
        return self.kind != RANDOM

    @override
    def __str__(self) -> str:
        return f"{self.where}: {self.kind} ({self.form})"


_PACKAGES = {
    "ahocorasick": "pyahocorasick",
    "numpy": "numpy",
    "detect_secrets": "detect-secrets",
}


class LeakGate:
    """Looks through what a recorder is about to write, while the secrets become more.

    Args:
        rules: What secrets look like, and which fields hold them.
        unknown: Whether secrets that were never seen are looked for as well.
        stated: What is no leak unless it opens something.
    """

    def __init__(
        self, rules: RuleSet, *, unknown: bool = True, stated: StatedValues | None = None
    ) -> None:
        require_extra("capture", "the search for secrets needs", _PACKAGES)
        fields: dict[str, tuple[str, ...]] = {}
        for rule in rules.rules:
            if rule.beside or rule.within or rule.keep:
                continue  # what makes it one is around its field
            names = (name.removeprefix("?") for name in rule.fields)
            fields[rule.kind] = (*fields.get(rule.kind, ()), *names)
        self._known = KnownSecrets(fields)
        self._unknown = UnknownSecrets(rules, stated) if unknown else None

    def learn(self, secrets: Iterable[SecretLike]) -> None:
        """Add secrets that must not be in anything that is scanned from now on."""
        self._known.learn(secrets)

    def scan(self, content: bytes, where: str = "") -> tuple[Leak, ...]:
        """The secrets that are left in a content, by place; of a kind in a place the plainest form.

        Args:
            content: A file or a part of one.
            where: What is told before each place, such as `interaction 7`.
        """
        places = Places(content)
        leaks: dict[tuple[str, str], Leak] = {}
        for layer, finding in self.findings(content):
            place = places.where(layer.origin(finding.start))
            if where:
                place = f"{where}, {place}"
            leaks.setdefault(
                (place, finding.kind), Leak(place, finding.kind, coding_of(layer, finding))
            )
            if len(leaks) >= _MOST:
                break
        return tuple(leaks.values())

    def knows(self, content: bytes) -> bool:
        """Whether a known secret stands in bytes as they are; no other reading is tried."""
        return any(
            next(self._known.find(Layer(content[start : start + _STEP + _OVERLAP])), None)
            for start in range(0, len(content), _STEP)
        )

    def findings(self, content: bytes) -> Iterator[tuple[Layer, Finding]]:
        """What is found in a content, in each of its readings.

        Yields:
            The reading, and the finding in it; of the kind `UNREAD` where a reading was cut.
        """
        for layer in decoded_layers(content):
            if layer.cut:
                yield layer, Finding(0, b"", UNREAD)
            for finding in self._known.find(layer):
                yield layer, finding
            if self._unknown is not None and layer.text and not layer.written_out:
                for finding in self._unknown.find(layer.content):
                    yield layer, finding


def coding_of(layer: Layer, finding: Finding) -> str:
    """How a finding is coded: `as it is`, `base64`, `escaped in gzip in base64` ..."""
    return " in ".join(reversed(layer.form + finding.form)) or "as it is"


def find_leaks(
    content: bytes, secrets: Iterable[SecretLike] = (), *, rules: RuleSet, unknown: bool = True
) -> tuple[Leak, ...]:
    """The secrets that are left in a content, in all codings, by place.

    Args:
        content: A whole file: a cassette, a snapshot, a log.
        secrets: Those that were seen and must not be in it.
        rules: What secrets look like, and which fields hold them.
        unknown: Whether secrets that were never seen are looked for as well, by their patterns, by
            the plug-ins of detect-secrets, and by their randomness.
    """
    gate = LeakGate(rules, unknown=unknown)
    gate.learn(secrets)
    return gate.scan(content)


class Span(NamedTuple):
    """A stretch of a content, and what takes its place.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        new: What stands there afterwards.
    """

    start: int
    end: int
    new: bytes


class NotWritableError(Exception):
    """A reading cannot be written back: what was found is in pieces that no rule joins."""


def replacement_spans(found: Iterable[tuple[Layer, Finding, str]]) -> list[Span]:
    """The stretches of a content that findings in its readings become, in order, none twice.

    Args:
        found: Readings, findings in them, and what takes the place of each.

    Raises:
        NotWritableError: One of them cannot be written back.
    """
    waiting: dict[int, tuple[Layer, list[Span]]] = {}
    for layer, finding, new in found:
        waiting.setdefault(id(layer), (layer, []))[1].append(_own_span(layer, finding, new))
    done: list[Span] = []
    while waiting:
        mark = max(waiting, key=lambda mark: _depth(waiting[mark][0]))
        layer, spans = waiting.pop(mark)
        spans = _without_overlaps(spans)
        if layer.outer is None:
            done += spans
            continue
        outward = _packed_again(layer, spans) if layer.packed else _escaped_again(layer, spans)
        waiting.setdefault(id(layer.outer), (layer.outer, []))[1].extend(outward)
    return _without_overlaps(done)


def replace_spans(content: bytes, spans: Iterable[Span]) -> bytes:
    """A content with stretches replaced.

    >>> replace_spans(b"abcdef", [Span(1, 3, b"-"), Span(5, 6, b"+")])
    b'a-de+'
    """
    done, last = [], 0
    for start, end, new in spans:
        done += [content[last:start], new]
        last = end
    return b"".join([*done, content[last:]])


def _depth(layer: Layer) -> int:
    depth = 0
    while layer.outer is not None:
        layer, depth = layer.outer, depth + 1
    return depth


def _without_overlaps(spans: list[Span]) -> list[Span]:
    """In order, without those that overlap one before them; of two the longer stays."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _own_span(layer: Layer, finding: Finding, new: str) -> Span:
    """The span of a finding in its own reading, coded as the finding is."""
    made = new.encode()
    start, end = finding.start, finding.end
    for form in finding.form:
        if form == "hexadecimal":
            made = _hexadecimal_like(made, finding.text)
        elif form == "in UTF-16":
            made = b"\0".join(made[at : at + 1] for at in range(len(made)))
        elif form == "percent-encoded":
            made = made.replace(b" ", b"+")
        elif form == "base64":
            return _in_base64(layer.content, finding, made)
    return Span(start, end, made)


_PADDED = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"


def _in_base64(content: bytes, finding: Finding, new: bytes) -> Span:
    """The run of base64 around a short secret that it codes."""
    first = max(0, finding.start - 4096)
    start = first + len(content[first : finding.start].rstrip(_BASE64_SIGNS))
    run = _PADDED.match(content, start)
    if run is None:
        raise NotWritableError
    old = finding.value.lower().encode()
    for skipped in range(4):
        plain = decode_base64(run[0][skipped:])
        at = plain.lower().find(old)
        if at >= 0:
            changed = plain[:at] + new + plain[at + len(old) :]
            coded = _coded_like(changed, content, start + skipped, run.end())
            return Span(start + skipped, run.end(), coded)
    raise NotWritableError


def _coded_like(changed: bytes, outer: bytes, start: int, end: int) -> bytes:
    """Base64 of the alphabet of a run, and padded where it is."""
    run, beside = outer[start:end], outer[max(start - 1, 0) : start] + outer[end : end + 1]
    coded = base64.urlsafe_b64encode(changed) if _is_url_safe(run) else base64.b64encode(changed)
    # whole groups need no padding, and another length may; that of a JWT, beside a point, has none
    is_padded = run.endswith(b"=") or (len(run) % 4 == 0 and b"." not in beside)
    return coded if is_padded else coded.rstrip(b"=")


def _hexadecimal_like(changed: bytes, run: bytes) -> bytes:
    """Hexadecimal in the letter case of a run."""
    coded = changed.hex().encode()
    return coded.upper() if run.isupper() else coded


def _packed_again(layer: Layer, spans: list[Span]) -> list[Span]:
    """What the pieces of a packed reading become in the reading that they came from."""
    assert layer.outer is not None  # noqa: S101 - the caller's
    starts, origins = layer.places()
    ends = [*starts[1:], len(layer.content)]
    by_piece: dict[int, list[Span]] = {}
    for span in spans:
        by_piece.setdefault(bisect_right(starts, span.start) - 1, []).append(span)
    made = []
    for index, own in by_piece.items():
        first, last = starts[index], ends[index] - 1  # the line end behind each piece
        piece = layer.content[first:last]
        changed = replace_spans(
            piece,
            [Span(span.start - first, min(span.end, last) - first, span.new) for span in own],
        )
        write = _WRITERS.get(layer.form[-1])
        if write is None:
            raise NotWritableError
        made.append(write(layer.outer.content, origins[index], piece, changed))
    return made


_PADDING = re.compile(rb"={0,2}")


def _to_base64(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    run = BASE64.match(outer, at)
    if run is None:
        raise NotWritableError
    for skipped in range(4):
        if decode_base64(run[0][skipped:]) == piece:
            padding = _PADDING.match(outer, run.end())
            end = padding.end() if padding else run.end()
            coded = _coded_like(changed, outer, at + skipped, end)
            return Span(at + skipped, end, coded)
    raise NotWritableError


def _is_url_safe(run: bytes) -> bool:
    return b"-" in run or b"_" in run


def _to_hexadecimal(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    run = HEXADECIMAL.match(outer, at)
    if run is None:
        raise NotWritableError
    for skipped in range(2):
        size = (len(run[0]) - skipped) & ~1
        if binascii.unhexlify(run[0][skipped : skipped + size]) == piece:
            return Span(at + skipped, at + skipped + size, _hexadecimal_like(changed, run[0]))
    raise NotWritableError


def _to_gzip(outer: bytes, at: int, piece: bytes, changed: bytes) -> Span:
    zipped = outer.startswith(b"\x1f\x8b", at)
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16 if zipped else zlib.MAX_WBITS)
    try:
        if stream.decompress(outer[at:]) != piece:
            raise NotWritableError
    except zlib.error as error:
        raise NotWritableError from error
    end = len(outer) - len(stream.unused_data)
    return Span(at, end, gzip.compress(changed, mtime=0) if zipped else zlib.compress(changed))


_WRITERS: dict[str, Callable[[bytes, int, bytes, bytes], Span]] = {
    "base64": _to_base64, "hexadecimal": _to_hexadecimal, "gzip": _to_gzip,
}  # fmt: skip


def _escaped_again(layer: Layer, spans: list[Span]) -> list[Span]:
    """What stretches of a reading without escapes become in the one that has them."""
    assert layer.outer is not None  # noqa: S101 - the caller's
    is_step = layer.form == layer.outer.form
    escape = _as_it_is if is_step else _ESCAPES.get(layer.form[-1])
    if escape is None:
        raise NotWritableError
    starts, origins = layer.places()
    ends = [*starts[1:], len(layer.content)]
    outer = layer.outer.content
    made = []
    for start, end, new in spans:
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        before = layer.content[starts[first] : start]
        after = layer.content[end : ends[last]]
        if _is_plain(layer, outer, first):
            outer_start, before = origins[first] + len(before), b""
        else:
            outer_start = origins[first]
        if _is_plain(layer, outer, last):
            outer_end, after = origins[last] + (end - starts[last]), b""
        else:
            outer_end = origins[last + 1] if last + 1 < len(origins) else len(outer)
        if outer_end < outer_start:
            raise NotWritableError
        made.append(Span(outer_start, outer_end, escape(before + new + after)))
    return made


def _is_plain(layer: Layer, outer: bytes, index: int) -> bool:
    """Whether a piece stands in the outer reading as it is."""
    starts, origins = layer.places()
    end = starts[index + 1] if index + 1 < len(starts) else len(layer.content)
    meaning = layer.content[starts[index] : end]
    return outer.startswith(meaning, origins[index])


def _as_it_is(content: bytes) -> bytes:
    return content


def _json_escaped(content: bytes) -> bytes:
    plain = content.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return plain.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _percent_encoded(content: bytes) -> bytes:
    return quote(content, safe="-._~").encode()


def _html_escaped(content: bytes) -> bytes:
    return html.escape(content.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _mail_escaped(content: bytes) -> bytes:
    return content.replace(b"=", b"=3D")


_ESCAPES: dict[str, Callable[[bytes], bytes]] = {
    "escaped": _json_escaped, "percent-encoded": _percent_encoded, "HTML entities": _html_escaped,
    "quoted-printable": _mail_escaped, "folded over lines": _as_it_is,
}  # fmt: skip
