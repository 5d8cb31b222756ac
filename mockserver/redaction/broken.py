"""Texts with names beside values: XML and HTML, and what only looks like JSON, broken off."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape, unescape
from quopri import decodestring, encodestring
from typing import NamedTuple, Protocol

from mockserver.redaction.checks import passes
from mockserver.redaction.rule import normalised

_PAIR = re.compile(
    r'(\\*"((?:[^"\\\n]|\\[^"\n]){1,80})\\*"\s*:\s*\\*")((?:[^"\\]|\\.)*?)(\\*"|\Z)', re.DOTALL
)
_TAG = re.compile(
    r"(<([\w:.-]{1,80})(?:\s[^<>]*)?>(?:\s*<!\[CDATA\[)?)((?<=\[CDATA\[)(?:(?!\]\]>).)+|[^<>]+)"
    r"((?:\]\]>\s*)?</\2\s*>)", re.DOTALL,
)  # fmt: skip
_NESTED = re.compile(
    r"(<[A-Za-z][\w:.-]*\s[^<>]*?(?<![\w-])(?:name|key|Name|Key)=([\"'])([^\"'<>]{1,80})\2[^<>]*(?<!/)>"
    r"\s*(?:<([Vv]alue|string|data)(?:\s[^<>]*)?>)?(?:<!\[CDATA\[)?)([^<>]*[^<>\s][^<>]*)(</)"
)
_ELEMENT = re.compile(
    r"<[A-Za-z][\w:.-]*(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)+\s*/?>"
)
_ATTRIBUTE = re.compile(r"([\w:@.-]+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")
_KEYED = re.compile(
    r"(<(key|name|Key|Name)>([^<>]{1,80})</\2>\s*(?:<value>\s*)?"
    r"<(string|value|data|Value|base64)>)([^<>]+)(</\4>)"
)
_WRAPPED = re.compile(r"(<([\w:.-]{1,80})>\s*<([Vv]alue|string)>)([^<>]+)(</\3>)")
# from the beginning of a word alone, or a long word is gone through from each of its characters
_CODED = re.compile(
    r"(?<![^\s<>\"'])[^\s<>\"']*&(?:#\d{2,6}|#x[0-9A-Fa-f]{2,6}|[A-Za-z]{2,8});[^\s<>\"']*"
)
_QUOTED = re.compile(
    r"(?im)(^content-transfer-encoding:[ \t]*quoted-printable[ \t]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)"
    r"(.*?)(?=\r?\n--|\Z)", re.DOTALL,
)  # fmt: skip
_SECRET_DATA = re.compile(
    r"(?m)^( *)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+[^\r\n]*(?:\r?\n|\Z))+)"
)
_SECRET_LINE = re.compile(
    r"(?m)^([ \t]+[\w.-]+:[ \t]*)(\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s#|>][^\r\n]*?)"
    r"([ \t]*(?:[ \t]#[^\r\n]*)?\r?)$"
)
_SECRET_BLOCK = re.compile(
    r"(?m)^([ \t]+)([\w.-]+:[ \t]*[|>][+-]?[ \t]*\r?\n)((?:\1[ \t]+[^\r\n]*(?:\r?\n|\Z))+)"
)
_LINE_OF_BLOCK = re.compile(r"(?m)^([ \t]+)([^\r\n]*[^\s])")
_NAMES = ("name", "key", "property", "id", "http-equiv")
_VALUES = ("value", "content")


class Naming(Protocol):
    """What knows what to put in the place of a text, with or without the name of its field."""

    def by_name(self, name: str, value: str) -> str:
        """What stands in for the whole value of a field; itself where no rule names it."""

    def text(self, text: str, depth: int = 0) -> str:
        """A text with what is found in it replaced."""

    def texts(self, texts: Iterable[str], depth: int = 0) -> Mapping[str, str]:
        """The same for many at once, by text."""


def broken_json(naming: Naming, text: str) -> str:
    """A text with the values of quoted pairs redacted by their names."""
    return _PAIR.sub(lambda found: _pair(naming, found), text)


def has_markup(text: str) -> bool:
    """Whether a text may be XML or HTML, or has entities in it; cheap."""
    return "<" in text or ("&" in text and ";" in text)


def markup(naming: Naming, text: str, depth: int = 0) -> str:
    """A text with elements and attributes of XML and HTML redacted by their names.

    Args:
        naming: Knows what to put in the place of a text.
        text: Not yet judged.
        depth: How many texts are around this one.
    """

    def element(found: "re.Match[str]") -> str:
        plain = unescape(found[3])
        made = naming.by_name(found[2].rpartition(":")[2], plain)
        return found[1] + (found[3] if made == plain else escape(made, quote=False)) + found[4]

    def keyed(found: "re.Match[str]") -> str:
        plain = unescape(found[5])
        made = naming.by_name(unescape(found[3]), plain)
        return found[1] + (found[5] if made == plain else escape(made, quote=False)) + found[6]

    def coded(found: "re.Match[str]") -> str:
        plain = unescape(found[0])
        made = naming.text(plain, depth + 1)
        return found[0] if made == plain else escape(made)

    if "<" in text:
        text = _with_attributes(naming, text, depth)
        text = _NESTED.sub(lambda found: _nested(naming, found), text)
        text = _WRAPPED.sub(lambda found: _wrapped(naming, found), text)
        text = _TAG.sub(element, _KEYED.sub(keyed, text))
    return _CODED.sub(coded, text) if "&" in text else text


def _wrapped(naming: Naming, found: "re.Match[str]") -> str:
    """The value within an element that says its name: `<Password><Value>...`."""
    plain = unescape(found[4])
    made = naming.by_name(found[2].rpartition(":")[2], plain)
    return found[0] if made == plain else found[1] + escape(made, quote=False) + found[5]


def _nested(naming: Naming, found: "re.Match[str]") -> str:
    """The text of an element that an attribute names: `<string name="password">...`."""
    plain = unescape(found[5].strip())
    fits = passes("set" if found[4] else "secretlike", plain)
    fits = fits and normalised(plain) != normalised(found[3])
    fits = fits and (" " not in plain or passes("phrase", plain))
    made = naming.by_name(unescape(found[3]), plain) if fits else plain
    if made == plain:
        return found[0]
    return found[1] + found[5].replace(found[5].strip(), escape(made, quote=False)) + found[6]


class _Attribute(NamedTuple):
    start: int
    end: int
    sign: str
    plain: str
    made: str


def _with_attributes(naming: Naming, text: str, depth: int) -> str:
    """A text with the values of attributes redacted; those that no rule names all together."""
    found = [
        attribute
        for element in _ELEMENT.finditer(text)
        for attribute in _attributes(naming, text, element.span())
    ]
    unnamed = [each.plain for each in found if each.made == each.plain]
    judged = naming.texts(unnamed, depth + 1) if unnamed else {}
    done, last = [], 0
    for start, end, sign, plain, named in found:
        made = judged[plain] if named == plain else named
        if made != plain:
            done += [text[last:start], sign, escape(made), sign]
            last = end
    return "".join([*done, text[last:]]) if done else text


def _attributes(naming: Naming, text: str, span: tuple[int, int]) -> Iterator[_Attribute]:
    """The attributes of an element, each with what stands in for its value by its name.

    Yields:
        In order.
    """
    pairs = [(pair, unescape(pair[3][1:-1]), pair[1]) for pair in _ATTRIBUTE.finditer(text, *span)]
    values = {name.lower(): plain for _, plain, name in pairs}
    beside = next((values[name] for name in _NAMES if name in values), "")
    if values.get("type") == "password":
        beside = "password"
    for pair, plain, full in pairs:
        name = full.rpartition(":")[2]
        made = naming.by_name(name.removeprefix("data-"), plain)
        if made == plain and beside and name.lower() in _VALUES:
            made = naming.by_name(beside, plain)
        yield _Attribute(*pair.span(3), pair[3][0], plain, made)


def quoted_printable(naming: Naming, text: str, depth: int = 0) -> str:
    """A message with the parts redacted that are quoted-printable."""

    def part(found: "re.Match[str]") -> str:
        return found[1] + printable(naming, found[2].encode("utf-8", "surrogateescape"), depth)

    return _QUOTED.sub(part, text) if "uoted-printable" in text else text


def printable(naming: Naming, content: bytes, depth: int = 0) -> str:
    """Quoted-printable bytes, redacted inside."""
    written = content.decode("utf-8", "surrogateescape")
    try:
        plain = decodestring(content).decode()
    except UnicodeDecodeError:
        return written
    made = naming.text(plain, depth + 1)
    if made == plain:
        return written
    coded = encodestring(made.encode()).decode()
    return coded.replace("\n", "\r\n") if b"\r\n" in content else coded


def secret_manifest(naming: Naming, text: str) -> str:
    """A manifest of Kubernetes with the values of its Secrets redacted."""
    if not _SECRET_KIND.search(text):
        return text

    def line(found: "re.Match[str]") -> str:
        return found[1] + naming.by_name("kubernetes_secret", found[2].strip("'\"")) + found[3]

    def written(found: "re.Match[str]") -> str:
        return found[1] + naming.by_name("kubernetes_secret", found[2])

    def block(found: "re.Match[str]") -> str:
        return found[1] + found[2] + _LINE_OF_BLOCK.sub(written, found[3])

    def data(found: "re.Match[str]") -> str:
        made = _SECRET_BLOCK.sub(block, _SECRET_LINE.sub(line, found[2]))
        return found[0].replace(found[2], made)

    return _SECRET_DATA.sub(data, text)


_SECRET_KIND = re.compile(r"(?m)^[ \t-]*kind:[ \t]*[\"']?Secret\b")


def _pair(naming: Naming, found: "re.Match[str]") -> str:
    made = naming.by_name(found[2], _plain(found[3]))
    if made == _plain(found[3]):
        return found[0]
    return found[1] + json.dumps(made)[1:-1] + found[4]


def _plain(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
