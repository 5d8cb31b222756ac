"""Reads the YAML that this program wrote, many times faster than a YAML reader does.

It knows one way to write each thing and refuses every other, so that what it reads is what a YAML
reader would have read; a file that was changed by hand may take the long way.
"""

import re
from functools import lru_cache
from typing import TypeVar

import orjson

from mockserver.cassettes.files.parser import with_facts
from mockserver.cassettes.files.values import MisplacedError, url_of
from mockserver.cassettes.files.yaml_scalars import (
    UNREADABLE,
    read_binary,
    read_block,
    read_flow,
    read_scalar,
)
from mockserver.model import (
    BodyFile,
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)

_BODY = (
    r"""(?: (null|'[^\n]*|"[^\n]*(?:(?<=\\)\n[^\n]*)*)\n"""
    r"""| (\|[+-]?|!!binary \|)\n((?: {8}[^\n]*\n|\n)*))"""
)
_FILE = r"\n      file: \{sha256: '([0-9a-f]{64})', bytes: ([1-9][0-9]{0,14})\}\n"
_HEADERS = r"(?: \{\}\n|\n((?: {6}[^\n]+\n)+))"
_INTERACTION = re.compile(
    r"- request:\n    body:(?:"
    + _BODY
    + "|"
    + _FILE
    + r")    headers:"
    + _HEADERS
    + r"    method: ([^\n]+)\n    uri: ([^\n]+)\n  response:\n    body:(?:\n      string:"
    + _BODY
    + "|"
    + _FILE
    + r")    headers:"
    + _HEADERS
    + r"    status:\n      code: (0|[1-9][0-9]{0,2})\n      message: ([^\n]+)\n"
    + r"  recorded:\n((?:    [^\n]+\n)+)"
)
_NUMBER = re.compile(r"[0-9]+\.[0-9]+")
_NUMBERS = re.compile(r"[\[\]0-9.,]+")
_Value = TypeVar("_Value")
_TEXTS = frozenset({"at", "method_id", "request_coding", "response_coding", "ended"})


class _OtherWriting(Exception):  # noqa: N818  (never leaves this module)
    """Something is not written as we write it."""


def head_and_rest(text: str) -> tuple[str, int] | None:
    r"""The text before the interactions, and where those begin; None where we did not write it.

    >>> head_and_rest("version: 1\ninteractions:\n- request:\n")
    ('version: 1\ninteractions:\n', 25)
    """
    mark = "\ninteractions:\n"
    place = text.find(mark)
    if not text.startswith("version: 1\n") or place < 0:
        return None
    start = place + len(mark)
    return text[:start], start


def read_interactions(text: str, start: int) -> tuple[Interaction, ...] | None:
    """Every interaction from `start` on; None when one is not as we write it."""
    if UNREADABLE.search(text):
        return None
    found = []
    try:
        while start < len(text):
            match = _INTERACTION.match(text, start)
            if match is None:
                return None
            found.append(_interaction(match))
            start = match.end()
    except (_OtherWriting, MisplacedError):
        return None
    return tuple(found)


def _interaction(match: re.Match[str]) -> Interaction:
    (
        flow, sign, lines, digest, size, headers, method, url,
        answer_flow, answer_sign, answer_lines, answer_digest, answer_size, answer_headers,
        code, reason, facts,
    ) = match.groups()  # fmt: skip
    return with_facts(
        RecordedRequest(
            _scalar(method),
            _url(url),
            _headers(headers or ""),
            b"" if digest else _body(flow, sign, lines),
            file=_file(digest, size),
        ),
        RecordedResponse(
            int(code),
            _scalar(reason),
            _headers(answer_headers or ""),
            b"" if answer_digest else _body(answer_flow, answer_sign, answer_lines),
            file=_file(answer_digest, answer_size),
        ),
        _facts(facts),
        (),
    )


def _file(digest: str | None, size: str | None) -> BodyFile | None:
    return BodyFile(digest, int(size)) if digest and size else None


def _body(flow: str | None, sign: str | None, lines: str | None) -> bytes:
    if flow == "null":
        return b""
    if flow is not None:
        text = read_flow(flow)
    elif sign == "!!binary |":
        return _require(read_binary(lines or ""))
    else:
        text = read_block((sign or "")[1:], lines or "", " " * 8)
    return _require(text).encode()


def _require(value: _Value | None) -> _Value:
    if value is None:
        raise _OtherWriting
    return value


@lru_cache(maxsize=4096)
def _scalar(text: str) -> str:
    return _require(read_scalar(text))


@lru_cache(maxsize=4096)
def _url(text: str) -> str:
    return url_of(_require(read_scalar(text)), ())


@lru_cache(maxsize=256)
def _headers(lines: str) -> tuple[Header, ...]:
    headers: list[Header] = []
    seen: set[str] = set()
    name, waiting = "", False
    for line in lines.splitlines():
        written = line[6:]
        if written.startswith("- "):
            if not seen:
                raise _OtherWriting
            headers.append((name, _scalar(written[2:])))
            waiting = False
            continue
        if waiting or not written.endswith(":"):
            raise _OtherWriting
        name, waiting = _scalar(written[:-1]), True
        if name in seen:
            raise _OtherWriting
        seen.add(name)
    if waiting:
        raise _OtherWriting
    return tuple(headers)


def _facts(lines: str) -> JsonObject:
    facts: JsonObject = {}
    for line in lines.splitlines():
        name, mark, written = line[4:].partition(": ")
        if not mark or name in facts:
            raise _OtherWriting
        facts[name] = _fact(name, written)
    return facts


def _fact(name: str, text: str) -> Json:
    if name in _TEXTS:
        return _scalar(text)
    if name == "duration_ms" and _NUMBER.fullmatch(text):
        return float(text)
    if text[:1] == "[" and (name == "review" or _NUMBERS.fullmatch(text)):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise _OtherWriting from error
    raise _OtherWriting
