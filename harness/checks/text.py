"""Finding a phrase in running text, neither too much nor too little.

Zero-width characters are removed, case and Unicode are folded (NFKC), and a phrase is found as a
row of whole words. What separates words does not matter (`policy_limit`, `policy-limit`), except
where it carries meaning:

* A number is found only as a whole: `16` is neither in `16,000` nor in `16.5`, `5` not in `-5`.
* A sign, currency or percent sign that the phrase has must stand there: `$50`, `-5`, `80 %`.
* `C++` and `C#` are words of their own.
* Symbols inside an address, host name, path or time must be the same, and the text may not go on
  with it: `/Sales` is not in `/Sales/Field`, `ann@example.com` not in `ann@example.com.evil.org`.

The last word of a phrase may be inflected (`handshake`, `handshakes`; `reset`, `resetting`), and a
compound may be written with a hyphen or as one word (`wifi`, `Wi-Fi`), unless an exact match is
asked for. In scripts that are written without spaces (and in Korean, whose
particles cling to the word) words have no borders to hold to.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

_VARIATION_SELECTORS = range(0xFE00, 0xFE10)
_UNSPACED = (
    "\u0e00-\u109f"  # Thai, Lao, Tibetan, Myanmar
    "\u1100-\u11ff"  # Hangul Jamo
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u30ff"  # ideographic marks, Hiragana, Katakana
    "\u31f0-\u31ff"  # Katakana extensions
    "\u3400-\u9fff"  # CJK
    "\uac00-\ud7af"  # Hangul
    "\uf900-\ufaff"  # CJK compatibility
    "\U00020000-\U0003ffff"  # CJK extensions
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
"""In a folded text; each character of an unspaced script is one."""

_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)[.!?]+[\"'\u201d\u2019)\]*_`]*\s+"  # but not the stop in `v1.2`
    r"|[\u3002\uff01\uff1f!?]\s*(?=[\u3040-\u9fff])"
    r"|\u3002\s*"
    r"|\n\s*\n\s*"
    r"|\n\s*(?=(?:[-*+\u2022#>|]|\d+[.)])\s?)"  # list items, headings, table rows
)
_MARKUP = frozenset("-_\"'`*\u2018\u2019\u201c\u201d\u00ab\u00bb()[]{}<>|\u2026!?;")
"""What may stand anywhere between two words without a meaning of its own."""

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-_\u2010-\u2012](?=[^\W\d_])")
"""Between two letters: people also write the compound as one word."""

_CURRENCY = frozenset("$\u20ac\u00a3\u00a5\u20b9\u20a9")
_LEADING = frozenset("/\\@#~.")
_TRAILING = _CURRENCY | frozenset("%\u2030\u00b0")
_SUFFIXES = frozenset("+#")
_GOES_ON = frozenset(".@/\\:-_+")
"""After an address and before a letter or digit: the address is a longer one."""


class _FoldTable(dict[int, int | str | None]):
    """What becomes of a character: itself, or a space."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = folded = code if unicodedata.category(chr(code))[0] in "LMN" else " "
        return folded


class _Removal(dict[int, int | None]):
    """Format characters and variation selectors go, whatever they are for."""

    def __missing__(self, code: int) -> int | None:
        gone = code in _VARIATION_SELECTORS or unicodedata.category(chr(code)) == "Cf"
        self[code] = kept = None if gone else code
        return kept


_FOLDING = _FoldTable()
_REMOVAL = _Removal({0x2212: 0x2D})  # the minus sign is a hyphen


def compose(text: str) -> str:
    """The text in Unicode's compatibility composition, without zero-width characters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_REMOVAL))


def fold(text: str) -> str:
    """Letters and digits in folded case; everything else becomes a space.

    >>> fold("POLICY_LIMIT-2")
    'policy limit 2'
    """
    return compose(text).casefold().translate(_FOLDING)


def tokens(text: str) -> tuple[str, ...]:
    """The words of a text; each character of an unspaced script is one.

    >>> tokens("OU-Scope: 日本")
    ('ou', 'scope', '日', '本')
    """
    return tuple(_WORD.findall(fold(text)))


class _Token(NamedTuple):
    """A word with its place in the folded text."""

    word: str
    start: int
    end: int


class _Phrase(NamedTuple):
    """A phrase made ready to be looked for.

    Attributes:
        words: Its words.
        symbols: What must stand between each word and the next; empty where anything may.
        leading: The symbols before the first word that belong to it.
        trailing: Those after the last word.
        is_address: The text may not go on with it: an address, a path, a host name.
        is_host: An address of words and dots alone.
        last: The forms of the last word; none where it may not be inflected.
    """

    words: tuple[str, ...]
    symbols: tuple[str, ...]
    leading: str
    trailing: str
    is_address: bool
    is_host: bool
    last: frozenset[str]

    def ends_with(self, word: str) -> bool:
        """Whether a word may stand for the last one."""
        return word == self.words[-1] or not self.last.isdisjoint(_forms(word))


class Text:
    """A text made ready for looking phrases up in it."""

    def __init__(self, text: str) -> None:
        self._text = compose(text)
        self._joined: Text | None = None
        self._sentences = _split(self._text)
        folded = [sentence.casefold() for sentence in self._sentences]
        self._starts = list(accumulate((len(part) for part in folded), initial=0))[:-1]
        self._folded = "".join(folded)
        self._tokens = _tokenize(self._folded)
        self._places: dict[str, list[int]] = {}
        for place, token in enumerate(self._tokens):
            self._places.setdefault(token.word, []).append(place)

    @cached_property
    def _words_by_form(self) -> dict[str, list[str]]:
        """The words of which a form may be one."""
        words: dict[str, list[str]] = {}
        for word in self._places:
            for form in _forms(word):
                words.setdefault(form, []).append(word)
        return words

    def holds(self, phrase: str, *, exact: bool = False) -> bool:
        """Whether the phrase occurs; `exact` allows no inflection of its last word."""
        return next(self.sentences_with(phrase, exact=exact), None) is not None

    def sentences_with(self, phrase: str, *, exact: bool = False) -> Iterator[str]:
        """The sentences in which the phrase occurs.

        Yields:
            Each sentence once; an occurrence that crosses a border gives both as one.
        """
        wanted = _read(phrase, exact)
        if wanted is None:
            yield from self._sentences_with_symbol(phrase)
            return
        before = None
        for start, end in self._occurrences(wanted):
            first = bisect_right(self._starts, start) - 1
            last = bisect_right(self._starts, end - 1) - 1
            if (first, last) != before:
                yield " ".join("".join(self._sentences[first : last + 1]).split())
            before = first, last
        joined = _HYPHEN.sub("", compose(phrase))
        as_one_word = not (exact or wanted.is_address or wanted.leading or wanted.trailing)
        if as_one_word and (joined != compose(phrase) or _HYPHEN.search(self._text)):
            yield from self._without_hyphens().sentences_with(joined, exact=False)

    def _without_hyphens(self) -> "Text":
        if self._joined is None:
            self._joined = Text(_HYPHEN.sub("", self._text))
        return self._joined

    def _sentences_with_symbol(self, phrase: str) -> Iterator[str]:
        # a phrase of symbols only (an arrow, an emoji) is looked for as it is
        symbol = compose(phrase).casefold().strip()
        for sentence in self._sentences if symbol else ():
            if symbol in sentence.casefold():
                yield " ".join(sentence.split())

    def _occurrences(self, wanted: _Phrase) -> Iterator[tuple[int, int]]:
        """Look an occurrence up by its first word.

        Yields:
            Start and end in the folded text of each occurrence, in order.
        """
        count = len(wanted.words)
        places = self._places.get(wanted.words[0], [])
        if count == 1 and wanted.last:
            alike = {word for form in wanted.last for word in self._words_by_form.get(form, ())}
            places = sorted(place for word in alike for place in self._places[word])
        for place in places:
            found = self._tokens[place : place + count]
            if len(found) == count and self._is_occurrence(wanted, found):
                yield found[0].start, found[-1].end

    def _is_occurrence(self, wanted: _Phrase, found: list[_Token]) -> bool:
        for word, token in zip(wanted.words[:-1], found[:-1], strict=True):
            if word != token.word:
                return False
        if not wanted.ends_with(found[-1].word):
            return False
        for symbols, (left, right) in zip(wanted.symbols, pairwise(found), strict=True):
            if symbols != _symbols(self._folded[left.end : right.start]) and (
                symbols or _one_number(self._folded, left, right)
            ):
                return False
        return self._begins(wanted, found[0]) and self._ends(wanted, found[-1])

    def _begins(self, wanted: _Phrase, first: _Token) -> bool:
        text, start = self._folded, first.start
        if wanted.leading:
            spaced = wanted.leading[0] in _CURRENCY
            before = text[:start].rstrip() if spaced else text[:start]
            if not before.endswith(wanted.leading):
                return False
            outside = before[: len(before) - len(wanted.leading)]
            return spaced or not (outside and (_is_word(outside[-1]) or outside[-1] in "./\\@~"))
        left, beyond = text[start - 1 : start], text[start - 2 : start - 1] if start > 1 else ""
        if first.word[0].isdigit() and left:
            if left in "-+" and not (beyond and (_is_word(beyond) or beyond in ")]-+")):
                return False
            if left in ".,:/'\u2019" and beyond.isdigit():
                return left == "," and not _is_group(text, start)
            if left == "." and not (beyond and _is_word(beyond)):
                return False
        if wanted.is_address and left and beyond and left in ".@-_/\\" and _is_word(beyond):
            return wanted.is_host and left == "@"
        return not (wanted.is_address and not wanted.is_host and left in ("/", "\\"))

    def _ends(self, wanted: _Phrase, last: _Token) -> bool:
        text, end = self._folded, last.end
        if wanted.trailing:
            return text[end:].lstrip().startswith(wanted.trailing)
        right, beyond = text[end : end + 1], text[end + 1 : end + 2]
        if wanted.is_host and right in ("/", ":"):
            return True
        if last.word[-1].isdigit() and right and right in ".,:/'\u2019" and beyond.isdigit():
            return right == "," and not _is_group(text, end + 1)
        goes_on = bool(right) and right in _GOES_ON and bool(beyond) and _is_word(beyond)
        return not (wanted.is_address and goes_on)


@lru_cache(maxsize=8)
def text_of(text: str) -> Text:
    """A text made ready, the latest ones once: the checks of a trial look into the same reply."""
    return Text(text)


def holds(text: str, phrase: str, *, exact: bool = False) -> bool:
    """Whether a phrase occurs in a text.

    >>> holds("The rollout is slow", "OU"), holds("Move the OU.", "ou")
    (False, True)
    >>> holds("TLS handshakes fail", "handshake"), holds("16,000 users", "16")
    (True, False)
    """
    return Text(text).holds(phrase, exact=exact)


def is_empty_phrase(phrase: str) -> bool:
    """Whether a phrase is blank: nothing could be looked for."""
    return not compose(phrase).strip()


@lru_cache(maxsize=2048)
def _read(phrase: str, exact: bool) -> _Phrase | None:  # noqa: FBT001 - part of the key
    text = compose(phrase).casefold().strip()
    found = _tokenize(text)
    if not found:
        return None
    symbols = tuple(_symbols(text[left.end : right.start]) for left, right in pairwise(found))
    leading = _leading_symbols(text[: found[0].start], found[0].word)
    after = text[found[-1].end :].lstrip()
    trailing = after[:1] if after[:1] in _TRAILING else ""
    inner = "".join(symbols)
    is_path = bool(leading) and leading[0] in _LEADING
    is_address = is_path or any(char in inner for char in "@/\\.")
    last = found[-1].word
    return _Phrase(
        words=tuple(token.word for token in found),
        symbols=symbols,
        leading=leading,
        trailing=trailing,
        is_address=is_address,
        is_host=is_address and not leading and set(inner) <= {"."},
        last=frozenset() if exact or is_address or not last.isalpha() else _forms(last),
    )


def _leading_symbols(before: str, first: str) -> str:
    """The symbols at the end of what stands before the first word that belong to it."""
    if before.rstrip()[-1:] in _CURRENCY:
        return before.rstrip()[-1]
    kept = len(before)
    signs = "-+" if first[0].isdigit() else ""
    while kept and (before[kept - 1] in _LEADING or before[kept - 1] in signs):
        kept -= 1
    return before[kept:]


def _tokenize(folded: str) -> list[_Token]:
    """The words of a folded text; `c++` and `c#` are words."""
    masked = folded.translate(_FOLDING)
    found: list[_Token] = []
    for word in _WORD.finditer(masked):
        start, end = word.span()
        stop = end
        if folded[end : end + 1] in _SUFFIXES and masked[end - 1].isalpha():
            while folded[stop : stop + 1] in _SUFFIXES:
                stop += 1
            if stop - end > 2 or _is_word(folded[stop : stop + 1]):
                stop = end
        found.append(_Token(folded[start:stop], start, stop))
    return found


def _symbols(gap: str) -> str:
    """What of the text between two words has a meaning: glued symbols that are no mere markup."""
    if any(char.isspace() for char in gap):
        return ""
    return "".join(char for char in gap if char not in _MARKUP)


def _one_number(text: str, left: _Token, right: _Token) -> bool:
    """Whether two tokens of a text are parts of one number, which no space would separate."""
    gap = text[left.end : right.start]
    return gap in {".", ","} and left.word[-1].isdigit() and right.word[0].isdigit()


def _is_group(text: str, start: int) -> bool:
    """Whether the three digits from a place on are a group of a larger number, as in 16,000."""
    group = text[start : start + 3]
    return len(group) == 3 and group.isdigit() and not text[start + 3 : start + 4].isdigit()


def _is_word(char: str) -> bool:
    return bool(char) and _FOLDING[ord(char)] != " "


_VOWELS = frozenset("aeiouy")
_SHORTEST = 3
_UNINFLECTED = frozenset({"news"})


@lru_cache(maxsize=8192)
def _forms(word: str) -> frozenset[str]:
    """The words of which this one may be an inflection, itself included.

    Plural and third person (-s, -es, -ies), past (-d, -ed, -ied) and progressive (-ing), each with
    a dropped e or a doubled consonant. Two words are forms of each other when these sets meet.

    >>> sorted(_forms("resetting"))
    ['reset', 'resett', 'resette', 'resetting']
    """
    if not word.isascii() or not word.isalpha() or word in _UNINFLECTED:
        return frozenset({word})
    bases = {word}
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        bases.add(f"{word[:-3]}y")
    if word.endswith("ied") and len(word) > _SHORTEST + 1:
        bases.add(f"{word[:-3]}y")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        bases.add(word[:-1])
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        bases.add(word[:-2])
    for ending in ("ed", "ing"):
        base = word.removesuffix(ending)
        if base == word or not _VOWELS & set(base):
            continue
        bases |= {base, f"{base}e"} if base[-1] not in _VOWELS else {base}
        if len(base) > _SHORTEST and base[-1] == base[-2] and base[-1] not in _VOWELS:
            bases.add(base[:-1])
    return frozenset(base for base in bases if base == word or len(base) >= _SHORTEST)


def _split(text: str) -> list[str]:
    """Sentences that joined again give the text."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    borders = [0, *ends, len(text)]
    return [text[start:end] for start, end in pairwise(borders) if end > start]
