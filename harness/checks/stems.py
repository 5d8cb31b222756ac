"""Stems of English words, by Martin Porter's algorithm ("An algorithm for suffix stripping", 1980).

With the departures that NLTK makes from it and ROUGE's own implementation so has: other stems of
short words, of a final y, and of a few words that the rules spoil. A test holds it against NLTK.
"""

from collections.abc import Callable, Mapping, Sequence

_SPOILED: Mapping[str, str] = {
    **{word: word for word in ("exceed", "howe", "news", "proceed", "sky", "succeed")},
    **{f"{word}{s}": word for word in ("canning", "inning", "outing") for s in ("", "s")},
    "dying": "die", "lying": "lie", "skies": "sky", "tying": "tie",
}  # fmt: skip

_SHORT = 2
"""Words up to this length are left as they are."""

Rule = tuple[str, str, Callable[[str], bool]]
"""A suffix, what stands for it, and what must hold of what is before it."""


def stem(word: str) -> str:
    """The stem of a word in lower case.

    >>> [stem(word) for word in ("pools", "exhausting", "happiness", "relational")]
    ['pool', 'exhaust', 'happi', 'relat']
    """
    if word in _SPOILED:
        return _SPOILED[word]
    if len(word) <= _SHORT:
        return word
    for step in (_plural, _past, _final_y, _double_suffix, _ful_ness, _single_suffix, _tidy):
        word = step(word)
    return word


def _shape(text: str) -> str:
    """Vowels as `v` and consonants as `c`; a y is a vowel after a consonant."""
    shape = ""
    for letter in text:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(text: str) -> int:
    """How often a consonant follows a vowel in it: Porter's m."""
    return _shape(text).count("vc")


def _has_vowel(text: str) -> bool:
    return "v" in _shape(text)


def _is_doubled(text: str) -> bool:
    return len(text) > 1 and text[-1] == text[-2] and _shape(text).endswith("c")


def _ends_short(text: str) -> bool:
    """Whether it ends as `hop` does, or is as short as `at`."""
    shape = _shape(text)
    return (shape.endswith("cvc") and text[-1] not in "wxy") or shape == "vc"


def _any(_text: str) -> bool:
    return True


def _measured(text: str) -> bool:
    return _measure(text) > 0


def _measured_twice(text: str) -> bool:
    return _measure(text) > 1


def _replace(word: str, rules: Sequence[Rule]) -> str:
    """Apply the first rule whose suffix the word has, if its condition holds."""
    for suffix, other, holds in rules:
        if word.endswith(suffix):
            before = word.removesuffix(suffix)
            return before + other if holds(before) else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == len("dies"):
        return word[:-1]
    rules = (("sses", "ss", _any), ("ies", "i", _any), ("ss", "ss", _any), ("s", "", _any))
    return _replace(word, rules)


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == len("died") else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measured(word[:-3]) else word
    for suffix in ("ed", "ing"):
        before = word.removesuffix(suffix)
        if before != word and _has_vowel(before):
            return _mend_past(before)
    return word


def _mend_past(before: str) -> str:
    """What is left of a past or a participle, with the e that it lost, or without a doubled end."""
    if before.endswith(("at", "bl", "iz")):
        return f"{before}e"
    if _is_doubled(before):
        return before if before[-1] in "lsz" else before[:-1]
    return f"{before}e" if _measure(before) == 1 and _ends_short(before) else before


def _final_y(word: str) -> str:
    return _replace(word, [("y", "i", lambda text: len(text) > 1 and _shape(text).endswith("c"))])


_DOUBLE: Sequence[Rule] = [
    *(
        (suffix, other, _measured)
        for suffix, other in (
            ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"),
            ("izer", "ize"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"),
            ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"),
            ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
            ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
        )
    ),
    ("logi", "log", lambda text: _measured(f"{text}l")),
]  # fmt: skip


def _double_suffix(word: str) -> str:
    if word.endswith("alli") and _measured(word[:-4]):
        return _double_suffix(word[:-2])
    return _replace(word, _DOUBLE)


def _ful_ness(word: str) -> str:
    rules = (
        ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
        ("ful", ""), ("ness", ""),
    )  # fmt: skip
    return _replace(word, [(suffix, other, _measured) for suffix, other in rules])


_SINGLE: Sequence[Rule] = [
    *(
        (suffix, "", _measured_twice)
        for suffix in (
            "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
        )
    ),
    ("ion", "", lambda text: _measured_twice(text) and text[-1] in "st"),
    *(
        (suffix, "", _measured_twice)
        for suffix in ("ou", "ism", "ate", "iti", "ous", "ive", "ize")
    ),
]  # fmt: skip


def _single_suffix(word: str) -> str:
    return _replace(word, _SINGLE)


def _tidy(word: str) -> str:
    """Without a final e, and with one l for two at the end of a long word."""
    before = word.removesuffix("e")
    if before != word and (
        _measured_twice(before) or (_measure(before) == 1 and not _ends_short(before))
    ):
        word = before
    return word[:-1] if word.endswith("ll") and _measured_twice(word[:-1]) else word
