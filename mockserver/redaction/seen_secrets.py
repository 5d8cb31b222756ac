"""The secrets that a redactor has replaced, and the search for them wherever else they stand."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

import orjson
from typing_extensions import override

from mockserver.redaction.reserved_values import looks_opaque

_SHORTEST = 6
_SHORTEST_WHOLE = 3
_LONGEST = 2048
"""Characters of a value that is found by a word of it; longer ones are looked for one by one."""
_FOUND_BY_PATTERN = frozenset({"email", "ipv4", "ipv6", "mac", "uuid", "jwt", "org_unit"})
_NEVER = frozenset({"domain", "etag", "city", "postal_code", "birth", "coordinate"})
_WEAK_WORD = re.compile(r"[A-Za-z]{1,11}|[A-Z_]+|[\d.:T+Z-]{1,7}")
_PHRASE = re.compile(r"[A-Za-z]+(?:[-_. /][A-Za-z]+)*")
_ALWAYS = frozenset({"password", "secret", "client_secret"})
_PLAIN = re.compile(r"[\w.~-]+")


_CODINGS: tuple[Callable[[str], str], ...] = (
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    escape,
    lambda text: quote(text, safe="", errors="surrogatepass"),
)


def is_distinctive(kind: str, value: str, pseudonym: str) -> bool:
    """Whether a value tells by itself what it is, so that it is a leak wherever it stands.

    Short ones, plain words and counts are not: `accepted` in a cookie is an English word. Nor is a
    number whose pseudonym is none: it would break JSON.
    """
    if len(value) < _SHORTEST or kind in _NEVER or value.isdigit() != pseudonym.isdigit():
        return False
    if kind in _ALWAYS:
        return True
    if kind == "person_name":
        return " " in value.strip()
    weak = _PHRASE if kind == "cookie" else _WEAK_WORD
    return weak.fullmatch(value) is None


def is_distinctive_alone(kind: str, value: str) -> bool:
    """Whether a value too short to be looked for in texts is one where it stands alone.

    The id `u_81` in one field is the same as in another and in a path; a word, a count is not.
    """
    return (
        kind not in _NEVER
        and kind != "person_name"
        and _SHORTEST_WHOLE <= len(value) < _SHORTEST
        and not value.isdigit()
        and looks_opaque(value)
        and any(sign.isalpha() for sign in value)
    )


def has_pattern(kind: str) -> bool:
    """Whether patterns find every value of a kind, so that none need be learned."""
    return kind in _FOUND_BY_PATTERN


class LearnedValues:
    """Values and their pseudonyms, found by one word of each.

    A value counts only where it stands as a word. So each run of letters and digits in it is one of
    the text's as well, and the longest of them is what texts are searched for.
    """

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._by_word: dict[str, str | tuple[str, ...]] = {}
        self._wordless: dict[str, None] = {}
        self._wholes: dict[str, str] = {}
        self._long: dict[str, str] = {}

    def add(self, value: str, pseudonym: str) -> None:
        """Learn a value; it is found from the next look on, as it is and as codings write it."""
        if len(value) > _LONGEST:
            self._long[value] = pseudonym
            return
        self._add(value, pseudonym)
        if _PLAIN.fullmatch(value):
            return
        for coding in _CODINGS:
            self._add(coding(value), coding(pseudonym))

    def add_whole(self, value: str, pseudonym: str) -> None:
        """Learn a value that counts only where nothing else stands beside it."""
        self._wholes[value] = pseudonym
        self._add(f'"{value}"', f'"{pseudonym}"')

    def _add(self, value: str, pseudonym: str) -> None:
        if value not in self._values:
            words = _WORDS.findall(value)
            if words:
                word = max(words, key=len)
                others = self._by_word.get(word, ())
                if not others:
                    self._by_word[word] = value
                else:
                    others = (others,) if isinstance(others, str) else others
                    self._by_word[word] = (*others, value)
            else:
                self._wordless[value] = None
        self._values[value] = pseudonym

    def replace_whole(self, text: str) -> str:
        """What stands in for a text that is a short learned value; else the text."""
        return self._wholes.get(text, text)

    def may_occur(self, text: str) -> bool:
        """Whether a text may have a learned value in it; cheap."""
        if text in self._wholes or any(value in text for value in self._long):
            return True
        if any(value in text for value in self._wordless):
            return True
        if not self._by_word:
            return False
        likely = self._by_word.keys() & _words(text)
        return any(value in text for word in likely for value in self._with_word(word))

    def replace(self, text: str) -> str:
        """A text with every learned value in it replaced where it stands as a word."""
        if text in self._wholes:
            return self._wholes[text]
        places = self._places(text) if self._values else []
        if places:
            text = _put(text, places, self._values)
        for value, pseudonym in self._long.items():
            text = text.replace(value, pseudonym)
        return text

    def find(self, text: str) -> list[tuple[str, str]]:
        """The learned values that `replace` would replace in a text, each with its pseudonym."""
        if text in self._wholes:
            return [(text, self._wholes[text])]
        values = [text[start:end] for start, end in (self._places(text) if self._values else ())]
        found = [(value, self._values[value]) for value in values]
        return found + [(value, made) for value, made in self._long.items() if value in text]

    def _with_word(self, word: str) -> tuple[str, ...]:
        found = self._by_word.get(word, ())
        return (found,) if isinstance(found, str) else found

    def _places(self, text: str) -> list[tuple[int, int]]:
        """Where values stand as words: those that begin first, of these the longest."""
        likely = self._by_word.keys() & _words(text)
        values = {value for word in likely for value in self._with_word(word)}
        values.update(self._wordless)
        found = []
        for value in values:
            start = text.find(value)
            while start >= 0:
                end = start + len(value)
                if _edge(text, start - 1, start) and _edge(text, end, end - 1):
                    found.append((start, -end))
                start = text.find(value, start + 1)
        places: list[tuple[int, int]] = []
        done = 0
        for start, end in sorted(found):
            if start >= done:
                places.append((start, -end))
                done = -end
        return places


_WORDS = re.compile(r"[^\W_]+")
_GAPS = {code: " " for code in range(128) if not chr(code).isalnum()}


def _words(text: str) -> list[str]:
    """The runs of letters and digits in a text; most texts are ASCII, where this is fast."""
    return text.translate(_GAPS).split() if text.isascii() else _WORDS.findall(text)


def _edge(text: str, outside: int, inside: int) -> bool:
    if not 0 <= outside < len(text):
        return True
    beside, sign = text[outside], text[inside]
    if beside == "." and sign.isdigit():  # a fraction is another number
        beyond = outside + (outside - inside)
        return not (0 <= beyond < len(text) and text[beyond].isdigit())
    return not (beside.isalnum() and sign.isalnum())


def _put(text: str, places: list[tuple[int, int]], values: dict[str, str]) -> str:
    done, last = [], 0
    for start, end in places:
        done += [text[last:start], values[text[start:end]]]
        last = end
    return "".join([*done, text[last:]])


@dataclass(frozen=True, slots=True)
class Secret:
    """One value that was replaced. Its text never shows it.

    Attributes:
        kind: The kind of the rule that found it.
        value: As it was.
    """

    kind: str
    value: str = field(repr=False)


class SeenSecrets:
    """Every value that a redactor replaced, with its pseudonym.

    Attributes:
        changes: How often anything became known: what was redacted before is redacted again then.
    """

    def __init__(self) -> None:
        self._pseudonyms: dict[str, tuple[str, str]] = {}
        self._order: list[Secret | None] = []
        self.changes = 0

    @override
    def __repr__(self) -> str:
        return f"Seen({len(self)} secrets)"

    def __len__(self) -> int:
        return len(self._pseudonyms)

    def note(self, kind: str, value: str, pseudonym: str, *, findable: bool = True) -> bool:
        """Remember one; whether it is new.

        Args:
            kind: The kind of the rule that found it.
            value: As it was.
            pseudonym: What stands for it.
            findable: Whether it is a leak wherever it stands; a cookie `dark` is none in a text.
        """
        if value in self._pseudonyms:
            return False
        self._pseudonyms[value] = (kind, pseudonym)
        self._order.append(Secret(kind, value) if findable else None)
        self.changes += 1
        return True

    def find(self, value: str) -> tuple[str, str] | None:
        """The kind and the pseudonym of a value, where it was replaced already."""
        return self._pseudonyms.get(value)

    def change(self, kind: str, value: str, pseudonym: str) -> None:
        """Give a value another kind and pseudonym from now on."""
        self._pseudonyms[value] = (kind, pseudonym)
        self.changes += 1

    def secrets(self, start: int = 0) -> Iterator[Secret]:
        """What must not be anywhere, in the order it was seen.

        Args:
            start: What `len` was when those before were looked at.

        Yields:
            Each with its kind.
        """
        for place in range(start, len(self._order)):
            secret = self._order[place]
            if secret is not None:
                yield secret

    def pseudonyms(self) -> Iterable[str]:
        """What stands for them."""
        return (pseudonym for _, pseudonym in self._pseudonyms.values())

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """What was replaced.

        Yields:
            Kind, pseudonym, and the value as it was.
        """
        for raw, (kind, made) in self._pseudonyms.items():
            yield kind, made, raw

    def seal(self, key: bytes) -> bytes:
        """The way back, for the owner of the key: encrypted, fit for a file."""
        return seal_secrets({made: (kind, raw) for kind, made, raw in self.rows()}, key)


def seal_secrets(known: Mapping[str, tuple[str, str]], key: bytes) -> bytes:
    """A map of pseudonyms to kind and value, encrypted."""
    from cryptography.fernet import Fernet

    rows = [[kind, made, raw] for made, (kind, raw) in known.items()]
    return Fernet(_fernet_key(key)).encrypt(orjson.dumps(rows))


def unseal_secrets(sealed: bytes, key: bytes) -> dict[str, Secret]:
    """What each pseudonym of a sealed map stands for.

    Raises:
        ValueError: It was sealed with another key, or is damaged.
    """
    from cryptography.fernet import Fernet, InvalidToken

    try:
        rows = orjson.loads(Fernet(_fernet_key(key)).decrypt(sealed))
    except InvalidToken:
        raise ValueError("sealed with another key, or damaged") from None
    return {made: Secret(kind, raw) for kind, made, raw in rows}


def _fernet_key(key: bytes) -> bytes:
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    return urlsafe_b64encode(sha256(b"understudy sealed map\0" + key).digest())
