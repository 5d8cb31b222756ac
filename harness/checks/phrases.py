"""Phrases, regular expressions and evidence in the text of a reply."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from harness.checks.expectation import AnyExpectation, Needle, failed, not_evaluated, verdict
from harness.checks.replies import is_blank, joined_texts, no_reply, replies_of, texts_and_values
from harness.checks.sections import Block, Phrases, RegularExpression, Section, single_or_list
from harness.checks.text import Text, is_empty_phrase, text_of
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.regexes import PatternError, search_pattern
from harness.trials.values import JsonObject

Match = Literal["all", "any"]


class TextContains(AnyExpectation):
    """The reply holds these phrases (case and Unicode folded, as whole words).

    Attributes:
        needles: The phrases.
        match: `all` of them or `any` one.
        exact: True: the last word of a phrase may not be inflected.
    """

    kind: Literal["text_contains"] = "text_contains"
    failure: ClassVar[str] = "missing text"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    quotes_values: ClassVar[bool] = True
    text_field: ClassVar[str] = "needles"
    needles: tuple[Needle, ...] = Field(min_length=1)
    match: Match = "all"
    exact: bool = False


class TextLacks(AnyExpectation):
    """The reply holds none of these phrases; they are found as `text_contains` finds them."""

    kind: Literal["text_lacks"] = "text_lacks"
    failure: ClassVar[str] = "forbidden text"
    problem_lists: ClassVar[tuple[str, ...]] = ("found",)
    needles: tuple[Needle, ...] = Field(min_length=1)
    exact: bool = False


class TextMatches(AnyExpectation):
    """The reply matches these regular expressions (searched, in any letter case)."""

    kind: Literal["text_matches"] = "text_matches"
    failure: ClassVar[str] = "missing text"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    holds_patterns: ClassVar[bool] = True
    patterns: tuple[Needle, ...] = Field(min_length=1)
    match: Match = "all"


class Evidence(AnyExpectation):
    """The reply shows these markers: it found what the fixtures hold.

    Attributes:
        markers: Phrases, found as by `TextContains`.
        exact: True: the last word of a marker may not be inflected.
    """

    kind: Literal["evidence"] = "evidence"
    failure: ClassVar[str] = "missing evidence"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    quotes_values: ClassVar[bool] = True
    text_field: ClassVar[str] = "markers"
    markers: tuple[Needle, ...] = Field(min_length=1)
    exact: bool = False


class ForbiddenEvidence(AnyExpectation):
    """The reply shows none of these markers, except in sentences with a word of `unless`."""

    kind: Literal["forbidden_evidence"] = "forbidden_evidence"
    failure: ClassVar[str] = "forbidden evidence"
    problem_lists: ClassVar[tuple[str, ...]] = ("found",)
    markers: tuple[Needle, ...] = Field(min_length=1)
    unless: tuple[Needle, ...] = ()
    exact: bool = False


def check_contains(record: TrialRecord, expectation: TextContains) -> CheckResult:
    """Whether the text holds all (or any) of the phrases."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_phrase(expectation.needles):
        return not_evaluated(expectation, blank)
    text = text_of(joined_texts(replies))
    missing = [
        needle for needle in expectation.needles if not text.holds(needle, exact=expectation.exact)
    ]
    return _all_or_any(expectation, len(expectation.needles), missing)


def check_matches(record: TrialRecord, expectation: TextMatches) -> CheckResult:
    """Whether all (or any) of the patterns are found in the text (any case)."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    text = joined_texts(replies)
    try:
        missing = [each for each in expectation.patterns if not search_pattern(each).search(text)]
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    return _all_or_any(expectation, len(expectation.patterns), missing)


def check_lacks(record: TrialRecord, expectation: TextLacks) -> CheckResult:
    """Whether the text holds none of the phrases."""
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_phrase(expectation.needles):
        return not_evaluated(expectation, blank)
    text = text_of(joined_texts(replies))
    found = [
        needle for needle in expectation.needles if text.holds(needle, exact=expectation.exact)
    ]
    reason = f"the reply holds {quote_names(found)}, which it must not" if found else ""
    return verdict(expectation, reason, found=found)


def blank_phrase(phrases: tuple[str, ...]) -> str:
    """What is wrong when one of the phrases is blank, or an empty string."""
    blank = [phrase for phrase in phrases if is_empty_phrase(phrase)]
    return f"{blank[0]!r} in the case is blank: nothing to look for" if blank else ""


def quote_names(names: list[str]) -> str:
    """Names in quotes, comma separated."""
    return ", ".join(repr(name) for name in names)


def _all_or_any(
    expectation: TextContains | TextMatches, total: int, missing: list[str]
) -> CheckResult:
    counts = {"missing": missing, "found": total - len(missing), "of": total}
    enough = not missing if expectation.match == "all" else len(missing) < total
    if enough:
        return verdict(expectation, "", **counts)
    which = "lacks" if expectation.match == "all" else "has none of"
    return failed(expectation, f"the reply {which} {quote_names(missing)}", **counts)


_QUOTE_LENGTH = 160
_EMPHASIS = re.compile(r"\bnot\s+(?:only|just|merely|simply)\b", re.IGNORECASE)
"""Words that look like a negation and are none: "not only disable DLP, but ..."."""


def check_evidence(record: TrialRecord, expectation: Evidence) -> CheckResult:
    """Whether every marker is shown; `missing` in the numbers lists those that are not."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_phrase(expectation.markers):
        return not_evaluated(expectation, blank)
    text = text_of(texts_and_values(replies))
    missing = [
        marker for marker in expectation.markers if not text.holds(marker, exact=expectation.exact)
    ]
    total = len(expectation.markers)
    reason = f"missing evidence: {quote_names(missing)}" if missing else ""
    return verdict(expectation, reason, missing=missing, found=total - len(missing), of=total)


def check_forbidden(record: TrialRecord, expectation: ForbiddenEvidence) -> CheckResult:
    """Whether no marker is shown, but in sentences that hold one of the `unless` words."""
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_phrase((*expectation.markers, *expectation.unless)):
        return not_evaluated(expectation, blank)
    text = text_of(texts_and_values(replies))
    found = {
        marker: sentence
        for marker in expectation.markers
        if (sentence := _offending_sentence(text, marker, expectation))
    }
    reason = "; ".join(f"forbidden {marker!r} in {at!r}" for marker, at in found.items())
    return verdict(expectation, reason, found=list(found), sentences=list(found.values()))


def _offending_sentence(text: Text, marker: str, expectation: ForbiddenEvidence) -> str:
    """The first sentence that shows the marker and is not excused, or an empty string."""
    for sentence in text.sentences_with(marker, exact=expectation.exact):
        excuse = Text(_EMPHASIS.sub(" ", sentence))
        if not any(excuse.holds(word, exact=True) for word in expectation.unless):
            return _shorten(sentence)
    return ""


def _shorten(sentence: str) -> str:
    return sentence if len(sentence) <= _QUOTE_LENGTH else sentence[: _QUOTE_LENGTH - 1] + "…"


class TextBlock(Block):
    """What the reply's text says.

    Attributes:
        contains: Phrases that must be there.
        not_contains: Phrases that must not.
        regex: Regular expressions that must be found; case does not matter.
        match: Whether `all` of `contains` and of `regex` are needed, or `any` one of each.
        evidence: Markers which show that the agent found what the fixtures hold.
        forbidden_evidence: Markers which show that it invented something.
        unless: Words that excuse a forbidden marker in the same sentence ("not", "never").
        exact: True: the last word of a phrase or marker may not be inflected.
        required: False makes the results informational.
    """

    contains: Phrases | None = None
    not_contains: Phrases | None = None
    regex: (
        Annotated[tuple[RegularExpression, ...], Field(min_length=1), single_or_list(str)] | None
    ) = None
    match: Match = "all"
    evidence: Phrases | None = None
    forbidden_evidence: Phrases | None = None
    unless: Phrases | None = None
    exact: bool = False
    required: bool = True

    @model_validator(mode="after")
    def _check_use(self) -> "TextBlock":
        if self.unless and not self.forbidden_evidence:
            raise ValueError("'unless' does nothing without 'forbidden_evidence'")
        if "match" in self.model_fields_set and not (self.contains or self.regex):
            raise ValueError("'match' does nothing without 'contains' or 'regex'")
        if self.exact and not (
            self.contains or self.not_contains or self.evidence or self.forbidden_evidence
        ):
            raise ValueError("'exact' does nothing without phrases or markers")
        return self

    def expectations(self, turn: int | None) -> Iterator[AnyExpectation]:
        """What the block stands for, in a turn or in the whole trial.

        Yields:
            An expectation for each of its lists.
        """
        shared: dict[str, Any] = {"turn": turn, "required": self.required}
        phrases = {"exact": self.exact, **shared}
        if self.contains:
            yield TextContains(needles=self.contains, match=self.match, **phrases)
        if self.not_contains:
            yield TextLacks(needles=self.not_contains, **phrases)
        if self.regex:
            yield TextMatches(patterns=self.regex, match=self.match, **shared)
        if self.evidence:
            yield Evidence(markers=self.evidence, **phrases)
        if self.forbidden_evidence:
            yield ForbiddenEvidence(
                markers=self.forbidden_evidence, unless=self.unless or (), **phrases
            )


_LISTS = {
    "text_contains": "contains",
    "text_lacks": "not_contains",
    "text_matches": "regex",
    "evidence": "evidence",
    "forbidden_evidence": "forbidden_evidence",
}
"""Kind to the list of the block in which its phrases stand."""


def _as_block(kind: str, fields: JsonObject) -> JsonObject:
    phrases = {"needles", "patterns", "markers"}
    return {_LISTS[kind] if name in phrases else name: value for name, value in fields.items()}


TEXT = Section(
    "text",
    "What the reply says.",
    TextBlock,
    TextBlock.expectations,
    _as_block,
    shared=frozenset({"required", "match", "exact"}),
)
