"""A case as the native format has it: only what is said, in the order of the documents."""

from collections.abc import Iterator, Sequence

from harness.cases.modes import implied
from harness.cases.requests import request_text
from harness.cases.writing.blocks import bare, written_block
from harness.model import Case, Expectation, Json, JsonObject, Turn

_ELSEWHERE = frozenset({"id", "turns", "request", "expect", "source", "fixtures", "reference"})
"""Fields that are not written under their own names and as they are."""


def written_case(case: Case) -> JsonObject:
    """A case as data for a native file; read again it is the same case, but for its source."""
    expect = _without(case.expect, implied(case.mode))
    turns, left = _turns(case, expect)
    block, more = written_block([item for item in expect if item.turn is None], None)
    plain = _plain(case)
    written: JsonObject = {"id": case.id}
    written |= {name: plain.pop(name) for name in ("title", "category", "tags") if name in plain}
    written |= {"mode": case.mode} if case.mode != "deterministic" else {}
    written |= _asked(case, turns)
    written |= {"fixtures": _fixtures(case)}
    written |= {"expect": block} if block else {}
    written |= {"checks": [bare(item) for item in (*more, *left)]} if more or left else {}
    return written | plain | _reference(case)


def _plain(case: Case) -> JsonObject:
    whole = case.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    plain = {name: value for name, value in whole.items() if name not in {*_ELSEWHERE, "mode"}}
    if case.policy is not None:
        plain["policy"] = case.policy.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain


def _without(
    expect: Sequence[Expectation], implied: Sequence[Expectation]
) -> tuple[Expectation, ...]:
    left = list(expect)
    for item in implied:  # the reader adds it again
        if item in left:
            left.remove(item)
    return tuple(left)


def _turns(case: Case, expect: Sequence[Expectation]) -> tuple[list[Json], tuple[Expectation, ...]]:
    turns: list[Json] = []
    left = [item for item in expect if item.turn is not None and item.turn > len(case.turns)]
    for number, turn in enumerate(case.turns, start=1):
        block, more = written_block([item for item in expect if item.turn == number], number)
        left += more
        turns.append(_said(turn, block))
    return turns, tuple(left)


def _said(turn: Turn, block: JsonObject) -> Json:
    return {"user": turn.user, "expect": block} if block else turn.user


def _asked(case: Case, turns: list[Json]) -> JsonObject:
    if case.request is None:
        return {"input": turns[0] if len(turns) == 1 else turns}
    words = [] if turns == [request_text(case.request)] else turns
    return {"input": words, "request": case.request} if words else {"request": case.request}


def _fixtures(case: Case) -> JsonObject:
    whole = case.fixtures.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for fault in whole.get("faults", []):
        fault.pop("origin", None)
    return {"overrides": [], **whole}


def _reference(case: Case) -> JsonObject:
    turns = list(_reference_turns(case))
    return {"reference": turns} if turns else {}


def _reference_turns(case: Case) -> Iterator[JsonObject]:
    for turn in case.reference:
        yield turn.model_dump(mode="json", by_alias=True, exclude_defaults=True)
