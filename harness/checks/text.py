"""Finding a phrase in running text, neither too much nor too little.

Case and Unicode are folded (NFKC), everything but letters, marks and digits separates tokens, and
a phrase is found at token boundaries only. In scripts that are written without spaces (and in
Korean, whose particles cling to the word) there are no boundaries to hold to.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, pairwise

_ZERO_WIDTH_SPACE = 0x200B
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)
_UNSPACED = (
    (0x0E00, 0x109F),  # Thai, Lao, Tibetan, Myanmar
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x30FF),  # ideographic marks, Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x9FFF),  # CJK
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),  # CJK compatibility
    (0x20000, 0x3FFFF),  # CJK extensions
)
_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)[.!?]+[\"'\u201d\u2019)\]*_`]*\s+"  # but not the stop in `v1.2`
    r"|[\u3002\uff01\uff1f!?]\s*(?=[\u3040-\u9fff])"
    r"|\u3002\s*"
    r"|\n\s*\n\s*"
    r"|\n\s*(?=(?:[-*+\u2022#>|]|\d+[.)])\s?)"  # list items, headings, table rows
)


class _Folding(dict[int, int | str | None]):
    """What becomes of a character: itself, a space, or nothing."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = folded = _fold_character(code)
        return folded


def _fold_character(code: int) -> int | str | None:
    category = unicodedata.category(chr(code))
    if code in _VARIATION_SELECTORS:
        return None
    if category[0] in "LMN":
        return code
    return None if category == "Cf" and code != _ZERO_WIDTH_SPACE else " "


_FOLDING = _Folding()


def compose(text: str) -> str:
    """The text in Unicode's compatibility composition, in which all else is looked for."""
    return unicodedata.normalize("NFKC", text)


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
    spaced = "".join(f" {char} " if _unspaced(char) else char for char in fold(text))
    return tuple(spaced.split())


class Text:
    """A text made ready for looking phrases up in it."""

    def __init__(self, text: str) -> None:
        self._sentences = _split(compose(text))
        folded = [fold(sentence) for sentence in self._sentences]
        self._starts = list(accumulate((len(part) for part in folded), initial=0))[:-1]
        self._folded = "".join(folded)

    def holds(self, phrase: str) -> bool:
        """Whether the phrase occurs."""
        return next(self.sentences_with(phrase), None) is not None

    def sentences_with(self, phrase: str) -> Iterator[str]:
        """The sentences in which the phrase occurs.

        Yields:
            Each sentence once; an occurrence that crosses a border gives both as one.
        """
        wanted = fold(phrase).split()
        if not wanted:
            yield from self._sentences_with_symbol(phrase)
            return
        before = None
        for start, end in _occurrences(_pattern(tuple(wanted)), self._folded):
            first = bisect_right(self._starts, start) - 1
            last = bisect_right(self._starts, end - 1) - 1
            if (first, last) != before:
                yield " ".join("".join(self._sentences[first : last + 1]).split())
            before = first, last

    def _sentences_with_symbol(self, phrase: str) -> Iterator[str]:
        # a phrase of symbols only (an arrow, an emoji) is looked for as it is
        symbol = compose(phrase).casefold().strip()
        for sentence in self._sentences if symbol else ():
            if symbol in sentence.casefold():
                yield " ".join(sentence.split())


def holds(text: str, phrase: str) -> bool:
    """Whether a phrase occurs in a text.

    >>> holds("The rollout is slow", "OU"), holds("Move the OU.", "ou")
    (False, True)
    """
    return Text(text).holds(phrase)


def says_nothing(phrase: str) -> bool:
    """Whether a phrase is blank: nothing could be looked for."""
    return not compose(phrase).strip()


def _split(text: str) -> list[str]:
    """Sentences that joined again give the text."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    borders = [0, *ends, len(text)]
    return [text[start:end] for start, end in pairwise(borders) if end > start]


@lru_cache(maxsize=1024)
def _pattern(wanted: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(" +".join(re.escape(token) for token in wanted))


def _occurrences(pattern: re.Pattern[str], folded: str) -> Iterator[tuple[int, int]]:
    found = pattern.search(folded)
    while found:
        start, end = found.span()
        if not _joined(folded, start) and not _joined(folded, end):
            yield start, end
        found = pattern.search(folded, start + 1)


def _joined(folded: str, border: int) -> bool:
    """Whether the characters on both sides of a border belong to one word."""
    if border in {0, len(folded)}:
        return False
    left, right = folded[border - 1], folded[border]
    return not (left == " " or right == " " or _unspaced(left) or _unspaced(right))


def _unspaced(char: str) -> bool:
    code = ord(char)
    return code >= _UNSPACED[0][0] and any(first <= code <= last for first, last in _UNSPACED)
