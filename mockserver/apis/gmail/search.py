"""The search language of Gmail: `from:ann {is:unread has:attachment} newer_than:2d -"on leave"`.

From the help page on search operators. Words side by side must all be there, `OR` and `{}` ask for
one of them, `-` for none. What no message tells (stars of a colour, muted conversations, mailing
lists' own words) and operators that are not known are refused with 501, for a search that leaves
them out finds too much. Days begin at midnight in UTC, for a mailbox does not tell its zone.
"""

import binascii
import re
from base64 import urlsafe_b64decode
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import urlencode

import orjson

from mockserver.apis.gmail import LABELS
from mockserver.collections import LAST, Index, Store, WordIndex, text_of_lines
from mockserver.collections.selections import Bounds, ByIndex, ByWords
from mockserver.googleapi import (
    ApiError,
    Call,
    Comparison,
    FilterError,
    Function,
    Leaf,
    not_honoured,
)
from mockserver.googleapi.filter_trees import And, Not, Tree, words_of
from mockserver.googleapi.filters import FilterDialect, parse
from mockserver.model import JsonObject
from mockserver.state import epoch_micros, parse_rfc3339

_FIELD = "[A-Za-z_][A-Za-z_0-9]*:"
_PHRASE = r'"[^"]*"?'
_PLAIN = r'[^\s(){}"]+'
_SIGNED = rf'(?:{_FIELD})?[({{]|(?:{_FIELD}\s*)?(?:"[^"]*\w|[^\s(){{}}"]*\w)'
DIALECT = FilterDialect(
    terms={
        "skip": r"(?<![-+])\+(?=[^\s)}])",
        "keyword": rf'(?<![-+])(?:AND|OR)(?=[\s(){{}}"]|\Z)|(?<![-+])-(?={_SIGNED})',
        "sign": r"[(){}]",
        "name": rf"{_FIELD[:-1]}(?=:)",
        "word": rf"(?:\d\w*:\s*)?(?:{_PHRASE}|{_PLAIN})",
    },
    after_name={"operator": ":"},
    after_operator={"sign": r"[(){}]", "word": f"{_PHRASE}|{_PLAIN}"},
    quotes='"',
    unescape=str,
    not_=frozenset({"-"}),
    loose=True,
    value_groups=True,
)
"""Braces ask for one of their terms. A `-` before signs that are no words does not negate."""
_TAG = re.compile(r"<[^>]*>")
_SIZE = re.compile(r"(\d+)([KMG]?)B?", re.IGNORECASE)
_AGE = re.compile(r"(\d+)([hdmy])", re.IGNORECASE)
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
_DEEPEST, _LONGEST = 40, 10_000
_HEADERS = {
    "from": ("from",), "to": ("to", "cc", "bcc"), "cc": ("cc",), "bcc": ("bcc",),
    "subject": ("subject",), "deliveredto": ("delivered-to",), "list": ("list-id",),
}  # fmt: skip
_HAS = {
    "drive": "drive.google.com", "document": "docs.google.com/document",
    "spreadsheet": "docs.google.com/spreadsheets", "presentation": "docs.google.com/presentation",
    "youtube": "youtube.com",
}  # fmt: skip
_IS = {
    "unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT", "sent": "SENT",
    "draft": "DRAFT", "chat": "CHAT",
}  # fmt: skip
_CATEGORIES = {"primary": "PERSONAL", "reservations": "", "purchases": ""}
_PLACES = {"drafts": "DRAFT", "draft": "DRAFT", "chats": "CHAT"}
_EVERYWHERE = frozenset({"anywhere"})
_HIDDEN = ("TRASH", "SPAM")
_SYSTEM = re.compile(r"^(?:[A-Z]+|CATEGORY_[A-Z]+)$")


@dataclass(frozen=True, slots=True)
class Term:
    """What a term of a search asks of an index.

    Attributes:
        index: What is known of messages.
        bounds: Which of its values are meant.
        words: The term, for explanations.
    """

    index: Index
    bounds: Sequence[Bounds]
    words: str = ""

    def __call__(self, row: JsonObject) -> bool:
        """Whether a message is meant."""
        values = [*self.index.values("", row)]
        return any(low <= value < high for value in values for low, high in self.bounds)

    def among(self, store: Store) -> ByIndex:
        """The messages of a store that are meant."""
        return ByIndex(store, self.index, self.bounds, words=self.words[:80])


@dataclass(frozen=True, slots=True)
class Phrase:
    """The messages that say some words side by side.

    Attributes:
        index: What of messages is looked into.
        text: The words, as that has them.
    """

    index: WordIndex
    text: str

    def __call__(self, row: JsonObject) -> bool:
        """Whether a message is meant."""
        return self.text in self.index.text(row)

    def among(self, store: Store) -> ByWords:
        """The messages of a store that are meant."""
        return ByWords(store, self.index, self.text)


Leaves: TypeAlias = Term | Phrase
"""The leaves of a search's tree."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search that was read.

    Attributes:
        tree: The terms, combined.
        hidden: Labels of messages that it finds though they are in trash or spam.
    """

    tree: Tree[Leaves]
    hidden: frozenset[str]


class _TermReader:
    """Reads each leaf of a search."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.hidden: set[str] = set()

    def term(self, leaf: Leaf) -> Tree[Leaves]:
        if isinstance(leaf, Function):
            raise TypeError("the language has no functions")
        name = leaf.field.lower() if isinstance(leaf, Comparison) else ""
        text = leaf.text.strip('"')
        if not name and text == "AROUND":
            raise search_not_honoured(self.call, "'AROUND' is not emulated")
        if not name:
            return _with_phrase(_TEXTS, text)
        if not text:
            raise search_not_honoured(self.call, f"'{name}:' has no value")
        if name in _HEADERS:
            return _with_phrase(_HEADER_TEXTS[name], text)
        if name in {"in", "label", "category", "is"}:
            return self._label_term(name, text)
        if name in _MEASURES:
            read, index, is_least = _MEASURES[name]
            limit = read(self.call, text)
            if limit is not None:
                return Term(index, [(limit, LAST) if is_least else (-(10**18), limit)], words=text)
        elif name in _READERS and (found := _READERS[name](text)) is not None:
            return found
        raise search_not_honoured(self.call, f"'{name}:{text}' is not emulated")

    def _label_term(self, name: str, text: str) -> Tree[Leaves]:
        word = text.casefold()
        if name == "is" and word in {"read", *_IS}:
            found = with_labels({_IS.get(word, "UNREAD")})
            return Not(found) if word == "read" else found
        if name == "category" and _CATEGORIES.get(word, word) and word.isalpha():
            return with_labels({f"CATEGORY_{_CATEGORIES.get(word, word).upper()}"})
        if name in {"is", "category"} or word in {"snoozed", "muted", "scheduled"}:
            raise search_not_honoured(self.call, f"'{name}:{text}' is not told by messages")
        if name == "in" and word in _EVERYWHERE:
            self.hidden.update(_HIDDEN)
            return And(())
        wanted = _label_ids(self.call, text)
        self.hidden.update(wanted & {*_HIDDEN})
        return with_labels(wanted)


def read_search(call: Call, text: str) -> Search:
    """Read a search.

    Raises:
        ApiError: 501; something of it is not emulated, or it cannot be read.
    """
    if len(text) > _LONGEST:
        raise search_not_honoured(call, f"it is longer than {_LONGEST:,} characters")
    reader = _TermReader(call)
    try:
        tree: Tree[Leaves] = parse(text.strip(), DIALECT, reader.term)
    except FilterError as error:
        raise search_not_honoured(call, _problem_text(error)) from error
    return Search(tree, frozenset(reader.hidden))


def _problem_text(error: FilterError) -> str:
    match error.problem:
        case "depth":
            return "it nests too deep"
        case "closing":
            return f"{error.closing!r} is missing"
        case "unexpected":
            return f"nothing was opened before {error.token.text!r}"
        case _:
            return "a word is missing"


def search_not_honoured(call: Call, why: str) -> ApiError:
    """501: a search that would find something else than Gmail's, with what would serve it."""
    query = urlencode({"q": call.params.get("q", "")})
    user = call.params.get("userId", "me")
    kind = "threads" if ".threads." in call.id else "messages"
    url = f"gmail.googleapis.com/gmail/v1/users/{user}/{kind}?{query}"
    body = {kind: [{"id": "example"}], "resultSizeEstimate": 1}
    fixture = orjson.dumps({"http": [{"method": "GET", "url": url, "body": body}]}).decode()
    return not_honoured(call.id, f"the search 'q' cannot be honoured: {why}", fixture)


def _label_ids(call: Call, text: str) -> frozenset[str]:
    """The ids of a label: its own, that of a system's place, or those of a name."""
    word = text.casefold()
    system = _PLACES.get(word, text.upper())
    rows = call.world.table(LABELS).find(_BY_PLAIN_NAME, _plain_label(text))
    named = {str(row.get("id")) for row in rows}
    return frozenset({text, *([system] if _SYSTEM.match(system) else []), *named})


def _plain_label(name: str) -> str:
    """A label's name as searches write it: blanks and slashes are hyphens."""
    return re.sub(r"[\s/]", "-", name.casefold())


_BY_PLAIN_NAME = Index(lambda _, row: (_plain_label(str(row.get("name", ""))),))

# what a message says


def header_values(row: JsonObject, names: tuple[str, ...]) -> list[str]:
    """The values of headers of a message, by lower-case names."""
    every = (row.get("payload") or {}).get("headers") or ()
    return [str(each.get("value", "")) for each in every if str(each.get("name")).lower() in names]


def all_parts(row: JsonObject) -> Iterator[JsonObject]:
    """A message's parts, from the outermost on.

    Yields:
        Parts as the API has them.
    """
    waiting = [row.get("payload") or {}]
    while waiting:
        part = waiting.pop(0)
        yield part
        waiting += part.get("parts") or ()


def _filenames(row: JsonObject) -> list[str]:
    return [str(part["filename"]) for part in all_parts(row) if part.get("filename")]


def _body_texts(row: JsonObject, *, markup: bool = False) -> Iterator[str]:
    """The texts of a message; with or without the markup of HTML.

    Yields:
        Texts.
    """
    for part in all_parts(row):
        kind = str(part.get("mimeType", ""))
        data = (part.get("body") or {}).get("data")
        if not data or not kind.startswith("text/"):
            continue
        text = _decode_text(str(data))
        yield _TAG.sub(" ", text) if kind == "text/html" and not markup else text


@lru_cache(1024)
def _decode_text(data: str) -> str:
    try:
        return urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _all_texts(row: JsonObject) -> Iterator[str]:
    yield from header_values(row, ("subject", "from", "to", "cc", "bcc"))
    yield str(row.get("snippet", ""))
    yield from _filenames(row)
    yield from _body_texts(row)


def _plain_text(texts: Iterable[str]) -> str:
    """The words of texts, with a blank around each, a line for each text."""
    return text_of_lines(" ".join(words_of(each)) for each in texts)


_TEXTS = WordIndex(lambda row: _plain_text(_all_texts(row)))
_HEADER_TEXTS = {
    operator: WordIndex(lambda row, names=names: _plain_text(header_values(row, names)))  # type: ignore[misc]
    for operator, names in _HEADERS.items()
}
_FILENAMES = WordIndex(lambda row: _plain_text(_filenames(row)))


def _with_phrase(index: WordIndex, text: str) -> Phrase:
    """The messages of which a text has the words of another side by side."""
    phrase = " ".join(words_of(text))
    return Phrase(index, f" {phrase} " if phrase else " ")


BY_LABEL = Index(lambda _, row: dict.fromkeys(map(str, row.get("labelIds", ()))))


def with_labels(labels: Set[str]) -> Term:
    """The messages with one of some labels."""
    words = f"label {' or '.join(sorted(labels))}"
    return Term(BY_LABEL, [(each, f"{each}\0") for each in sorted(labels)], words=words)


def sent_at(row: JsonObject) -> int:
    """When a message was sent, in milliseconds since 1970, as `internalDate` has it."""
    return epoch_micros(parse_rfc3339(row["sentTime"])) // 1000


# operators: None for a value that they do not have


def _facts(row: JsonObject) -> Iterator[str]:
    """What `has:` asks for that a message has.

    Yields:
        Values of the operator.
    """
    if _filenames(row):
        yield "attachment"
    is_filed = any(not _SYSTEM.match(each) for each in row.get("labelIds", ()))
    yield "userlabels" if is_filed else "nouserlabels"
    texts = [*_body_texts(row, markup=True)]
    yield from (word for word, link in _HAS.items() if any(link in each for each in texts))


_FACTS = Index(lambda _, row: _facts(row))


def _read_fact(text: str) -> Leaves | None:
    word = text.casefold()
    is_known = word in {"attachment", "userlabels", "nouserlabels", *_HAS}
    return Term(_FACTS, [(word, f"{word}\0")], words=f"has:{word}") if is_known else None


def _read_size(call: Call, text: str) -> int | None:
    found = _SIZE.fullmatch(text)
    return None if found is None else int(found[1]) * _UNITS[found[2].upper()]


def _read_day(call: Call, text: str) -> int | None:
    """Milliseconds since 1970 of `2026/11/20`, `11/20/2026` or seconds since then."""
    if text.isdecimal() and len(text) > len("20261120"):
        return int(text) * 1000
    for form in ("%Y/%m/%d", "%Y-%m-%d", "%m/%d/%Y"):
        try:
            return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()) * 1000
        except ValueError:
            continue
    return None


def _read_age(call: Call, text: str) -> int | None:
    """Milliseconds since 1970 of so long ago: `2d`, `3m`."""
    found = _AGE.fullmatch(text)
    if found is None:
        return None
    moment = _moment_before(call.world.clock.now(), int(found[1]), found[2].lower())
    return int(moment.timestamp() * 1000)


def _moment_before(now: datetime, count: int, unit: str) -> datetime:
    """The moment so many hours, days, months or years ago, in the calendar's months.

    >>> _moment_before(datetime(2024, 3, 31, tzinfo=UTC), 1, "m").date().isoformat()
    '2024-02-29'
    """
    if unit == "h":
        return now - timedelta(hours=min(count, 10**6))
    if unit == "d":
        return now - timedelta(days=min(count, 10**5))
    back = min(count, 1200) if unit == "m" else 12 * min(count, 100)
    months = now.year * 12 + now.month - 1 - back
    year, month = divmod(months, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, monthrange(year, month + 1)[1]))


_MESSAGE_IDS = Index(
    lambda _, row: dict.fromkeys(each.strip("<> ") for each in header_values(row, ("message-id",)))
)


def _read_message_id(text: str) -> Term:
    wanted = text.strip("<>")
    return Term(_MESSAGE_IDS, [(wanted, f"{wanted}\0")], words=text)


_SIZES = Index(lambda _, row: (int(row.get("sizeEstimate") or 0),))
_TIMES = Index(
    lambda _, row: (sent_at(row),),
    timed=True,
    later=lambda value, seconds: value + 1000 * seconds,
)
_MEASURES: Mapping[str, tuple[Callable[[Call, str], int | None], Index, bool]] = {
    **dict.fromkeys(("size", "larger"), (_read_size, _SIZES, True)),
    "smaller": (_read_size, _SIZES, False),
    **dict.fromkeys(("after", "newer"), (_read_day, _TIMES, True)),
    **dict.fromkeys(("before", "older"), (_read_day, _TIMES, False)),
    "newer_than": (_read_age, _TIMES, True),
    "older_than": (_read_age, _TIMES, False),
}
"""Operators that compare a number: how it is read, what messages have, whether it is the least."""
_READERS: Mapping[str, Callable[[str], Leaves | None]] = {
    "has": _read_fact,
    "filename": lambda text: _with_phrase(_FILENAMES, text),
    "rfc822msgid": _read_message_id,
}
