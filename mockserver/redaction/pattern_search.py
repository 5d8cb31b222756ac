"""Finds what the patterns of rules describe: many texts in one pass, each as if it were alone."""

import re
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mockserver.redaction.default_rules import WORDS_OF_WALLETS
from mockserver.redaction.match_checks import PHRASE_SIZES, STOP_WORDS, passes_check
from mockserver.redaction.reserved_values import find_pseudonym_spans
from mockserver.redaction.rule import Rule
from mockserver.redaction.rules import RuleSet

if TYPE_CHECKING:
    import re2

_MEMORY = 256 << 20
_REMEMBERED = 100_000
_LONGEST = 512
"""Bytes of a find that is remembered."""
_NOWHERE = (sys.maxsize, 0)
_SEGMENT = r"([^\s/:?#&,;\"'<>(){}\[\]\\\x00]{2,})"
_SEPARATOR = b"\0"
_SHORTEST_PHRASE = 12 * 4 - 1
_ANCHOR = re.compile(r"(?<![\[\\])(?:\\\\)*(?:\^|\$|\\[AzZ])")
"""What makes a pattern see where a text begins or ends."""

Replace = Callable[[Rule, str], str]
"""Gives the stand-in of what a rule found."""


class _Pattern(NamedTuple):
    rule: Rule
    compiled: "re2._Regexp"


class _Group(NamedTuple):
    """Some of the patterns as one; a set tells sooner than a search that there is nothing."""

    union: "re2._Regexp"
    any: "re2.Set"


class _CompiledRules(NamedTuple):
    patterns: list[_Pattern]
    union: "re2._Regexp"
    groups: list[_Group]
    whole: "PatternSets"
    heads: "PatternSets | None"
    phrases: bool
    anchored: bool


class Piece(NamedTuple):
    """What is made of a find; None where no rule wants it, and where the search goes on then."""

    made: bytes | None
    resume: int


class PatternSearch:
    """The patterns of rules as one.

    A rule sees one text at a time, never the border of two: what it finds in a text is the same
    whichever texts are searched together with it.

    Args:
        rules: Whose patterns.
        replace: What is put in the place of a find.
    """

    def __init__(self, rules: RuleSet, replace: Replace) -> None:
        self._rules = _compile_rules(rules)
        self._replace = replace
        self._pieces: dict[bytes, Piece] = {}

    @property
    def one_by_one(self) -> bool:
        """Whether a rule sees where a text begins or ends: then none are searched together."""
        return self._rules.anchored

    def forget(self) -> None:
        """Ask again for the stand-in of everything."""
        self._pieces.clear()

    def replace_each(self, contents: Sequence[bytes]) -> list[bytes]:
        """UTF-8 texts with every find replaced; the very same objects where there is none."""
        if self.one_by_one:
            return [self.replace(content) for content in contents]
        made = list(contents)
        plain = [place for place, content in enumerate(contents) if _SEPARATOR not in content]
        if len(plain) < len(made):
            for place, content in enumerate(contents):
                made[place] = content if _SEPARATOR not in content else self.replace(content)
        blob = _SEPARATOR.join([contents[place] for place in plain])
        ends = list(accumulate(len(contents[place]) + 1 for place in plain))
        search = _Search.of(self._rules, blob)
        at = 0
        while (found := search.next_find(at)) is not None:
            # Left of here nothing was found. No pattern has an anchor, and the separator is no part
            # of a word, so that the first find in this text, searched alone, begins here as well or
            # further right: the text is searched alone, and what lies behind it anew.
            which = bisect_right(ends, found[0])
            place = plain[which]
            start = ends[which] - len(contents[place]) - 1
            end = start + len(contents[place])
            made[place] = self._replace_matches(contents[place], search.of_part(start, end))
            at = ends[which]
            if at >= len(blob):
                break
        return made

    def replace(self, content: bytes) -> bytes:
        """A UTF-8 text with every find replaced; the very same object where there is none."""
        return self._replace_matches(content, _Search.of(self._rules, content))

    def _replace_matches(self, content: bytes, search: "_Search") -> bytes:
        done: list[bytes] = []
        last = at = 0
        pseudonyms: list[tuple[int, int]] | None = None
        while (found := search.next_find(at)) is not None:
            start, end = found
            if pseudonyms is None:
                pseudonyms = find_pseudonym_spans(content)
            if pseudonyms and (beyond := _cut(pseudonyms, start, end)):
                at = beyond
                continue
            piece = content[start:end]
            made, resume = self._pieces.get(piece) or self._piece(piece)
            if made is None:
                made, end, at = self._other_replacement(content, start, start + resume)
            else:
                at = end
            if made is not None and made != content[start:end]:
                done += [content[last:start], made]
                last = end
        if not done:
            return content
        done.append(content[last:])
        return b"".join(done)

    def _piece(self, piece: bytes) -> Piece:
        made = Piece(None, len(piece))
        for place in self._rules.whole.matching(piece):
            pattern = self._rules.patterns[place]
            found = pattern.compiled.fullmatch(piece)
            if found is None:
                continue
            new = self._stand_in(pattern.rule, piece, _secret(found))
            if new is not None:
                made = Piece(new, 0)
                break
            made = Piece(None, min(made.resume, max(1, _secret(found)[0])))
        if len(piece) < _LONGEST:
            if len(self._pieces) >= _REMEMBERED:
                self._pieces.clear()
            self._pieces[piece] = made
        return made

    def _other_replacement(
        self, content: bytes, start: int, resume: int
    ) -> tuple[bytes | None, int, int]:
        """What another rule makes of what begins at the same place, if any does."""
        for pattern in self._patterns_at(content, start):
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

    def _patterns_at(self, content: bytes, start: int) -> Iterable[_Pattern]:
        """The rules that find something that begins at a place."""
        rules = self._rules
        if rules.heads is None:
            return rules.patterns
        before = start - 1
        while before > 0 and content[before] & 0xC0 == 0x80:
            before -= 1
        rest = memoryview(content)[before:] if start else b" " + content
        return [rules.patterns[place] for place in rules.heads.matching(rest)]

    def _stand_in(self, rule: Rule, piece: bytes, secret: tuple[int, int]) -> bytes | None:
        """A find with its secret replaced; None where it is none of the rule's."""
        start, end = secret
        text = piece[start:end].decode("utf-8", "surrogateescape")
        if start < 0 or not passes_check(rule.check, text):
            return None
        if rule.keep:
            return piece
        new = self._replace(rule, text)
        return piece[:start] + new.encode("utf-8", "surrogateescape") + piece[end:]


class _Search:
    """The finds in a text, in order.

    Args:
        rules: What is looked for.
        content: The text.
        groups: Those of the rules' groups that find anything in it.
        phrases: Where words stand in it that may open a wallet.
    """

    def __init__(
        self,
        rules: _CompiledRules,
        content: bytes,
        groups: list[_Group],
        phrases: Iterable[tuple[int, int]],
    ) -> None:
        self._rules = rules
        self._content = content
        self._groups = groups
        self._phrases = deque(phrases)
        self._known = [(-1, 0)] * len(groups)

    @classmethod
    def of(cls, rules: _CompiledRules, content: bytes) -> "_Search":
        """Of a whole text."""
        groups = [group for group in rules.groups if group.any.Match(content)]
        with_phrases = rules.phrases and len(content) >= _SHORTEST_PHRASE
        return cls(rules, content, groups, find_phrases(content) if with_phrases else ())

    def of_part(self, start: int, end: int) -> "_Search":
        """Of a text that this one has in it, and behind which this one was not asked yet."""
        finds = zip(self._groups, self._known, strict=True)
        groups = [group for group, found in finds if found[0] < end]
        phrases = [(first - start, last - start) for first, last in self._phrases if first < end]
        return _Search(self._rules, self._content[start:end], groups, phrases)

    def next_find(self, at: int) -> tuple[int, int] | None:
        """The first find from a place on; the places that are asked for become greater."""
        known, phrases = self._known, self._phrases
        first, ties = _NOWHERE, 0
        for place, group in enumerate(self._groups):
            if known[place][0] < at:
                found = group.union.search(self._content, at)
                known[place] = _NOWHERE if found is None else found.span()
            if known[place][0] < first[0]:
                first, ties = known[place], 0
            elif known[place][0] == first[0]:
                ties += 1
        while phrases and phrases[0][0] < at:
            phrases.popleft()
        if phrases and phrases[0][0] <= first[0]:
            return phrases[0]
        if first is _NOWHERE:
            return None
        both = self._rules.union.match(self._content, first[0]) if ties else None
        return first if both is None else both.span()


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
def _compile_rules(rules: RuleSet) -> _CompiledRules:
    import re2

    named = list(_patterns(rules))
    plain = re2.Options()
    plain.never_capture = True
    plain.max_mem = _MEMORY
    plain.log_errors = False
    anchored = any(_ANCHOR.search(text) for _, text in named)
    searched = [(rule, text) for rule, text in named if not is_phrase_rule(rule)]
    union = "|".join(f"(?:{text})" for _, text in searched) or r"[^\x00-\x{10FFFF}]"
    groups = []
    for places in _group_rules(rule for rule, _ in searched):
        joined = "|".join(f"(?:{searched[place][1]})" for place in places)
        known = re2.Set.SearchSet(plain)
        known.Add(joined)
        known.Compile()
        groups.append(_Group(re2.compile(joined.encode(), plain), known))
    heads = PatternSets(re2.Set.MatchSet, [(rule, f"(?s:.)(?:{text})") for rule, text in named])
    whole = PatternSets(re2.Set.FullMatchSet, [(rule, f"(?:{text})") for rule, text in named])
    patterns = [_Pattern(rule, re2.compile(text.encode())) for rule, text in named]
    return _CompiledRules(
        patterns,
        re2.compile(union.encode(), plain),
        groups,
        whole,
        None if anchored else heads,
        len(searched) < len(named),
        anchored,
    )


def _group_rules(rules: Iterable[Rule]) -> list[list[int]]:
    """The places of rules whose patterns are searched together."""
    groups: dict[int, list[int]] = {}
    for place, rule in enumerate(rules):
        groups.setdefault(rule.search_group, []).append(place)
    return list(groups.values())


class PatternSets:
    """Says which of many patterns match a text, in a pass for each group of them.

    Args:
        make: Makes a set: of those that match anywhere, from the beginning, or as a whole.
        patterns: Rules, and the pattern of each.
    """

    def __init__(
        self,
        make: "Callable[[re2.Options], re2.Set]",
        patterns: Sequence[tuple[Rule, str]],
    ) -> None:
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY
        options.log_errors = False
        self._groups: list[tuple[re2.Set, list[int]]] = []
        for places in _group_rules(rule for rule, _ in patterns):
            together = make(options)
            for place in places:
                together.Add(patterns[place][1])
            together.Compile()
            self._groups.append((together, places))

    def matching(self, content: bytes | memoryview) -> list[int]:
        """The places of the patterns that match, in order."""
        return sorted(
            places[index] for each, places in self._groups for index in each.Match(content) or ()
        )


def is_phrase_rule(rule: Rule) -> bool:
    """Whether a rule finds as many words side by side as open a wallet, and nothing else.

    Nearly all sentences have so many: as one of the patterns it would be found at each word.
    """
    return rule.check == "mnemonic" and rule.pattern == WORDS_OF_WALLETS


def find_phrases(content: bytes) -> Iterator[tuple[int, int]]:
    """Where words stand that may open a wallet: what the rule's pattern and its check let pass.

    Yields:
        Start and end, in order; one may overlap the next.
    """
    for run in _word_runs().finditer(content):
        words = [word.span() for word in _WORD.finditer(content, *run.span())]
        stop = len(words)
        stops = [0] * stop
        for place in reversed(range(stop)):
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
