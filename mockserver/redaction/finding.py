"""Finds in texts what patterns of rules describe: many texts in one pass, each as if alone."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mockserver.redaction.checks import PHRASE_SIZES, STOP_WORDS, passes
from mockserver.redaction.credentials import WORDS_OF_WALLETS
from mockserver.redaction.reserved import pseudonym_spans
from mockserver.redaction.rules import Rule, RuleSet

if TYPE_CHECKING:
    import re2

_MEMORY = 256 << 20
_REMEMBERED = 100_000
_LONGEST = 512
"""Bytes of a find that is remembered."""
_SEGMENT = r"([^\s/:?#&,;\"'<>(){}\[\]\\\x00]{2,})"
_SEPARATOR = b"\0"
_ANCHOR = re.compile(r"(?<![\[\\])(?:\\\\)*(?:\^|\$|\\[AzZ])")
"""What makes a pattern see where a text begins or ends."""

Replace = Callable[[Rule, str], str]
"""Gives the stand-in of what a rule found."""


class _Pattern(NamedTuple):
    rule: Rule
    compiled: "re2._Regexp"


class _Compiled(NamedTuple):
    patterns: list[_Pattern]
    union: "re2._Regexp"
    whole: "re2.Set"
    heads: "re2.Set | None"
    phrases: bool
    anchored: bool


class _Piece(NamedTuple):
    """What is made of a find; None where no rule wants it, and where the search goes on then."""

    made: bytes | None
    resume: int


class Finder:
    """The patterns of rules as one.

    A rule sees one text at a time, never the border of two: what it finds in a text is the same
    whichever texts are searched together with it.

    Args:
        rules: Whose patterns.
        replace: What is put in the place of a find.
    """

    def __init__(self, rules: RuleSet, replace: Replace) -> None:
        self._rules = _compiled(rules)
        self._replace = replace
        self._pieces: dict[bytes, _Piece] = {}

    @property
    def one_by_one(self) -> bool:
        """Whether a rule sees where a text begins or ends: then none are searched together."""
        return self._rules.anchored

    def forget(self) -> None:
        """Ask again for the stand-in of everything."""
        self._pieces.clear()

    def replaced_each(self, contents: Sequence[bytes]) -> list[bytes]:
        """UTF-8 texts with every find replaced; the very same objects where there is none."""
        if self.one_by_one:
            return [self.replaced(content) for content in contents]
        made = list(contents)
        plain = [place for place, content in enumerate(contents) if _SEPARATOR not in content]
        if len(plain) < len(made):
            for place, content in enumerate(contents):
                made[place] = content if _SEPARATOR not in content else self.replaced(content)
        blob = _SEPARATOR.join([contents[place] for place in plain])
        ends = list(accumulate(len(contents[place]) + 1 for place in plain))
        following = self._following(blob)
        at = 0
        while (found := following(at)) is not None:
            # Left of here nothing was found. No pattern has an anchor, and the separator is no part
            # of a word, so that the first find in this text, searched alone, begins here as well or
            # further right: the text is searched alone, and what lies behind it anew.
            which = bisect_right(ends, found[0])
            place = plain[which]
            made[place] = self.replaced(contents[place])
            at = ends[which]
            if at >= len(blob):
                break
        return made

    def replaced(self, content: bytes) -> bytes:
        """A UTF-8 text with every find replaced; the very same object where there is none."""
        done: list[bytes] = []
        last = at = 0
        following = self._following(content)
        pseudonyms: list[tuple[int, int]] | None = None
        while (found := following(at)) is not None:
            start, end = found
            if pseudonyms is None:
                pseudonyms = pseudonym_spans(content)
            if pseudonyms and (beyond := _cut(pseudonyms, start, end)):
                at = beyond
                continue
            piece = content[start:end]
            made, resume = self._pieces.get(piece) or self._piece(piece)
            if made is None:
                made, end, at = self._other(content, start, start + resume)
            else:
                at = end
            if made is not None and made != content[start:end]:
                done += [content[last:start], made]
                last = end
        if not done:
            return content
        done.append(content[last:])
        return b"".join(done)

    def _following(self, content: bytes) -> Callable[[int], tuple[int, int] | None]:
        """Gives the first find from a place on; the places it is asked for become greater."""
        search = self._rules.union.search
        phrases = deque(_phrases(content) if self._rules.phrases else ())

        def following(at: int) -> tuple[int, int] | None:
            found = search(content, at)
            while phrases and phrases[0][0] < at:
                phrases.popleft()
            if phrases and (found is None or phrases[0][0] <= found.start()):
                return phrases[0]
            return None if found is None else found.span()

        return following

    def _piece(self, piece: bytes) -> _Piece:
        made = _Piece(None, len(piece))
        for place in sorted(self._rules.whole.Match(piece) or ()):
            pattern = self._rules.patterns[place]
            found = pattern.compiled.fullmatch(piece)
            if found is None:
                continue
            new = self._stand_in(pattern.rule, piece, _secret(found))
            if new is not None:
                made = _Piece(new, 0)
                break
            made = _Piece(None, min(made.resume, max(1, _secret(found)[0])))
        if len(piece) < _LONGEST:
            if len(self._pieces) >= _REMEMBERED:
                self._pieces.clear()
            self._pieces[piece] = made
        return made

    def _other(self, content: bytes, start: int, resume: int) -> tuple[bytes | None, int, int]:
        """What another rule makes of what begins at the same place, if any does."""
        for pattern in self._beginning(content, start):
            found = pattern.compiled.match(content, start)
            if found is None:
                continue
            end = found.end()
            first, last = _secret(found)
            secret = (first - start, last - start)
            new = self._stand_in(pattern.rule, content[start:end], secret)
            if new is not None:
                return new, end, end
        return None, start, resume

    def _beginning(self, content: bytes, start: int) -> Iterable[_Pattern]:
        """The rules that find something that begins at a place."""
        rules = self._rules
        if rules.heads is None:
            return rules.patterns
        before = start - 1
        while before > 0 and content[before] & 0xC0 == 0x80:
            before -= 1
        rest = memoryview(content)[before:] if start else b" " + content
        return [rules.patterns[place] for place in sorted(rules.heads.Match(rest) or ())]

    def _stand_in(self, rule: Rule, piece: bytes, secret: tuple[int, int]) -> bytes | None:
        """A find with its secret replaced; None where it is none of the rule's."""
        start, end = secret
        text = piece[start:end].decode("utf-8", "surrogateescape")
        if start < 0 or not passes(rule.check, text):
            return None
        if rule.keep:
            return piece
        new = self._replace(rule, text)
        return piece[:start] + new.encode("utf-8", "surrogateescape") + piece[end:]


def _cut(pseudonyms: list[tuple[int, int]], start: int, end: int) -> int:
    """The end of a pseudonym that a find has a part of only: such a find is none; else 0."""
    for first, last in pseudonyms:
        if first < end and start < last and not (start <= first and last <= end):
            return last
    return 0


def _secret(found: "re2._Match[bytes]") -> tuple[int, int]:
    start, end = found.span(1) if found.re.groups else found.span()
    return start, end


@lru_cache(maxsize=8)
def _compiled(rules: RuleSet) -> _Compiled:
    import re2

    named = list(_patterns(rules))
    plain, classes = re2.Options(), re2.Options()
    plain.never_capture = True
    plain.max_mem = classes.max_mem = _MEMORY
    anchored = any(_ANCHOR.search(text) for _, text in named)
    apart = {rule.name for rule, _ in named if _is_of_phrases(rule)}
    parts = [f"(?:{text})" for rule, text in named if rule.name not in apart]
    union = "|".join(parts) or r"[^\x00-\x{10FFFF}]"
    heads = re2.Set.MatchSet(classes)
    for _, text in named:
        heads.Add(f"(?s:.)(?:{text})")
    heads.Compile()
    whole = re2.Set.FullMatchSet(classes)
    for _, text in named:
        whole.Add(f"(?:{text})")
    whole.Compile()
    patterns = [_Pattern(rule, re2.compile(text.encode())) for rule, text in named]
    return _Compiled(
        patterns,
        re2.compile(union.encode(), plain),
        whole,
        None if anchored else heads,
        bool(apart),
        anchored,
    )


def _is_of_phrases(rule: Rule) -> bool:
    """Whether a rule finds as many words side by side as open a wallet, and nothing else.

    Nearly all sentences have so many: as one of the patterns it would be found at each word.
    """
    return rule.check == "mnemonic" and rule.pattern == WORDS_OF_WALLETS


def _phrases(content: bytes) -> Iterator[tuple[int, int]]:
    """Where words stand that may open a wallet: what the rule's pattern and its check let pass.

    Yields:
        Start and end, in order; one may overlap the next.
    """
    for run in _word_runs().finditer(content):
        words = [word.span() for word in _WORD.finditer(content, *run.span())]
        stop = len(words)
        stops = [0] * stop
        for place in range(stop - 1, -1, -1):
            start, end = words[place]
            stop = place if content[start:end].decode() in STOP_WORDS else stop
            stops[place] = stop
        for place, stop in enumerate(stops):
            size = min(_MOST_WORDS, len(words) - place)
            if size in PHRASE_SIZES and stop >= place + size:
                yield words[place][0], words[place + size - 1][1]


_MOST_WORDS = max(PHRASE_SIZES)
_WORD = re.compile(rb"[a-z]+")


@cache
def _word_runs() -> "re2._Regexp":
    import re2

    return re2.compile(rb"\b(?:[a-z]{3,8}[ \t]+){11,}[a-z]{3,8}\b")


def _patterns(rules: RuleSet) -> Iterable[tuple[Rule, str]]:
    for rule in rules.rules:
        if rule.pattern:
            yield rule, rule.pattern
    for rule in rules.rules:
        if rule.collections:
            names = "|".join(rule.collections)
            yield rule, rf"(?i:\b(?:{names}))/{_SEGMENT}"
