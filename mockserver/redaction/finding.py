"""Finds in texts what patterns of rules describe: all of them in one pass."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mockserver.redaction.checks import passes
from mockserver.redaction.rules import Rule, RuleSet

if TYPE_CHECKING:
    import re2

_MEMORY = 64 << 20
_REMEMBERED = 100_000
_SEGMENT = r"([^\s/:?#&,;\"'<>(){}\[\]\\]{2,})"

Replace = Callable[[Rule, str], str]
"""Gives the stand-in of what a rule found."""


class _Pattern(NamedTuple):
    rule: Rule
    compiled: "re2._Regexp"


class Finder:
    """The patterns of rules as one.

    Args:
        rules: Whose patterns.
        replace: What is put in the place of a find.
    """

    def __init__(self, rules: RuleSet, replace: Replace) -> None:
        self._patterns, self._all, self._which = _compiled(rules)
        self._replace = replace
        self._pieces: dict[bytes, bytes] = {}

    def replaced(self, content: bytes) -> bytes:
        """A UTF-8 text with every find replaced; the very same object where there is none."""
        done: list[bytes] = []
        last = 0
        for found in self._all.finditer(content):
            start, end = found.span()
            piece = content[start:end]
            made = self._pieces.get(piece)
            if made is None:
                made = self._piece(piece)
            if made is not piece and made != piece:
                done += [content[last:start], made]
                last = end
        if not done:
            return content
        done.append(content[last:])
        return b"".join(done)

    def _piece(self, piece: bytes) -> bytes:
        made = piece
        for place in sorted(self._which.Match(piece) or ()):
            pattern = self._patterns[place]
            found = pattern.compiled.fullmatch(piece)
            start, end = found.span(1) if found.re.groups else found.span()
            text = piece[start:end].decode("utf-8", "surrogateescape")
            if start >= 0 and passes(pattern.rule.check, text):
                stand_in = self._replace(pattern.rule, text)
                new = stand_in.encode("utf-8", "surrogateescape")
                made = piece[:start] + new + piece[end:]
                break
        if len(self._pieces) >= _REMEMBERED:
            self._pieces.clear()
        if len(piece) < 512:
            self._pieces[piece] = made
        return made


@lru_cache(maxsize=8)
def _compiled(rules: RuleSet) -> "tuple[list[_Pattern], re2._Regexp, re2.Set]":
    import re2

    named = list(_patterns(rules))
    plain, classes = re2.Options(), re2.Options()
    plain.never_capture = True
    plain.max_mem = classes.max_mem = _MEMORY
    union = "|".join(f"(?:{text})" for _, text in named) or r"[^\x00-\x{10FFFF}]"
    which = re2.Set.FullMatchSet(classes)
    for _, text in named:
        which.Add(f"(?:{text})")
    which.Compile()
    patterns = [_Pattern(rule, re2.compile(text.encode())) for rule, text in named]
    return patterns, re2.compile(union.encode(), plain), which


def _patterns(rules: RuleSet) -> Iterable[tuple[Rule, str]]:
    for rule in rules.rules:
        if rule.pattern:
            yield rule, rule.pattern
    for rule in rules.rules:
        if rule.collections:
            names = "|".join(rule.collections)
            yield rule, rf"(?i:\b(?:{names}))/{_SEGMENT}"
