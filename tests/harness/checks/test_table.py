"""Every kind has a check, and every field of every kind is read by it."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.checks.expectation import failed, not_evaluated, passed, verdict
from harness.checks.table import check
from harness.model import (
    Budget,
    CallEvent,
    ChangeEvent,
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    ExpectedRequest,
    ExpectedRow,
    Files,
    ForbiddenCall,
    ForbiddenEvidence,
    ForbiddenTools,
    Grounding,
    Judge,
    Loops,
    Milestone,
    Milestones,
    MinCalls,
    Minefield,
    Minefields,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Opinion,
    Patterns,
    Phase,
    Phases,
    Reference,
    ReplySchema,
    RequestEvent,
    Routing,
    Rubric,
    ServerRequests,
    ServerState,
    ServiceStatus,
    Signals,
    Stop,
    StopCondition,
    TextContains,
    TextLacks,
    TextMatches,
    ToolCall,
    ToolCalls,
    Usage,
    Witnesses,
    WorkspaceFile,
)
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

KINDS: tuple[type[BaseModel], ...] = get_args(get_args(Expectation)[0])
JUDGE = Judge(question="q", criteria=("c",), reference="r", samples=2, votes=1)
EXAMPLES: tuple[Expectation, ...] = (
    TextContains(needles=("a",)),
    TextLacks(needles=("z",)),
    TextMatches(patterns=("a",)),
    Evidence(markers=("a",)),
    ForbiddenEvidence(markers=("a",), unless=("b",)),
    ReplySchema(fields=("a",), json_schema={}, model="python:harness.model:Turn"),
    Rubric(min_score=1, criteria=("a",), synonyms={"a": ("b",)}),
    ToolCalls(mode="in_order", calls=(ExpectedCall(name="t", args={}, status="ok", group="g"),)),
    ForbiddenTools(globs=("x",), calls=(ForbiddenCall(name="t", args={"a": 1}),)),
    MinCalls(counts={"t": 1}),
    ServerRequests(requests=(ExpectedRequest(method="a.b"),)),
    ServerState(
        rows=(ExpectedRow(collection="users"),),
        unchanged=("u*",),
        allow=(ChangeEvent(collection="g*", fields=("/a",)),),
    ),
    Files(files=(ExpectedFile(path="f", contains=("x",)),)),
    ExitCode(code=0),
    Budget(rounds=1, tokens=1, cost_usd=1, seconds=1),
    Stop(any=(StopCondition(content=("a",), tool="t", rounds=1, cost_usd=1),)),
    Phases(phases=(Phase(first=0, last=1, tools=("t",)),)),
    Reference(text="a"),
    Signals(words=("a",), min_words=1, min_length=1),
    Milestones(milestones=(Milestone(name="a", call=CallEvent(name="t"), after=("a",)),)),
    Minefields(mines=(Minefield(request=RequestEvent(method="x")),)),
    Witnesses(tools=("t",), seen_as={"v": "w"}, allow=("args_differ",)),
    Grounding(kinds=("id",), patterns=("a",), allow=("b",)),
    Routing(to="t", among=("t",)),
    Loops(generate="t", evaluate="u", max=1),
    ServiceStatus(family="client_error", code="a"),
    ObservationCount(min=1, max=2),
    ObservationSeverity(severity="a"),
    ObservationRef(ref="a"),
    Patterns(patterns=("regex:a",), match="any"),
    JUDGE,
)
TRIAL = record(
    reply("a", call("t", status="ok"), call("u"), usage=Usage(input_tokens=1, output_tokens=1)),
    session="s1",
    exit_code=0,
    files={"f": WorkspaceFile(size=1, text="x")},
    journal=Journal(entries=(entry("a.b"),)),
    state={"users": {"u1": {"id": "u1"}}},
    opinions=(Opinion(asked=JUDGE.asked, sample=1, verdict="pass", model="m", prompt="p"),),
    state_diff={"users": {"added": {"u2": {}}}, "groups": {"added": {"g1": {}}}},
)


def test_every_kind_has_an_example() -> None:
    assert {type(example) for example in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.kind)
def test_every_field_is_read_by_its_check(example: Expectation) -> None:
    read: set[str] = set()
    check(TRIAL, _watched(example, read))
    assert set(_fields(example)) <= read


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.kind)
def test_without_facts_no_check_passes(example: Expectation) -> None:
    found = check(record(), example)
    assert found.status == ("fail" if isinstance(example, Files) else "not_evaluated")
    assert found.reason


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.kind)
def test_what_is_not_required_never_fails(example: Expectation) -> None:
    told = example.model_copy(update={"required": False})
    found = check(TRIAL, told)
    assert (found.kind, found.required) == (example.kind, False)
    assert found.status in {"informational", "not_evaluated"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.kind)
def test_no_check_breaks_on_an_answer_nested_without_end(example: Expectation) -> None:
    nested: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        nested = {"a": nested}
    made = ToolCall(name="t", args=nested)
    check(record(reply("[" * 5000, made, metadata=nested)), example)


def _fields(model: BaseModel) -> Iterator[str]:
    for name in type(model).model_fields:
        yield f"{_name(model)}.{name}"
        value = getattr(model, name)
        for inner in value if isinstance(value, tuple) else ():
            if isinstance(inner, BaseModel):
                yield from _fields(inner)


def _name(model: BaseModel) -> str:
    return type(model).__name__


def _watched(model: BaseModel, read: set[str]) -> Any:
    """The same value, but it notes which of its fields are read."""
    kind = type(model)

    def note(self: Any, name: str) -> Any:
        if name in kind.model_fields:
            read.add(f"{kind.__name__}.{name}")
        return object.__getattribute__(self, name)

    watching: Any = type(kind.__name__, (kind,), {"__getattribute__": note, "__module__": __name__})
    values = {name: _inside(getattr(model, name), read) for name in kind.model_fields}
    return watching.model_construct(**values)


def _inside(value: Any, read: set[str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_inside(inner, read) for inner in value)
    return _watched(value, read) if isinstance(value, BaseModel) else value


ASKED = ExitCode(code=0, turn=2)
TOLD = ExitCode(code=0, required=False)


def test_a_result_names_its_expectation() -> None:
    assert failed(ASKED, "why", score=1).model_dump() == {
        "kind": "exit_code",
        "status": "fail",
        "reason": "why",
        "turn": 2,
        "numbers": {"score": 1},
        "required": True,
    }


def test_no_reason_is_a_pass() -> None:
    assert verdict(ASKED, "").status == "pass"
    assert verdict(ASKED, "x").status == "fail"


def test_what_is_not_required_informs_and_says_whether_it_passed() -> None:
    assert [passed(TOLD).status, failed(TOLD, "x").status] == ["informational"] * 2
    assert [passed(TOLD).numbers, failed(TOLD, "x").numbers] == [
        {"passed": True},
        {"passed": False},
    ]


def test_missing_facts_stay_visible_where_nothing_is_required() -> None:
    assert not_evaluated(TOLD, "no").status == "not_evaluated"


@pytest.mark.parametrize("needles", [[], [""], ["a", ""]], ids=str)
def test_an_empty_needle_is_an_authoring_error(needles: list[str]) -> None:
    with pytest.raises(ValidationError):
        TextContains.model_validate({"needles": needles})


ALL_KINDS = get_args(get_args(Expectation)[0])
ANY: TypeAdapter[Any] = TypeAdapter(Expectation)


def test_kinds_are_told_apart_by_name() -> None:
    names = [kind.model_fields["kind"].default for kind in ALL_KINDS]
    assert len(set(names)) == len(names)
    assert ANY.validate_python({"kind": "evidence", "markers": ["a1"]}) == Evidence(markers=("a1",))


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_can_speak_of_a_turn_and_be_informational(kind: Any) -> None:
    assert {"turn", "required"} <= kind.model_fields.keys()
    assert kind.__doc__


@pytest.mark.parametrize(
    "written",
    [
        {"kind": "nothing"},
        {"markers": ["a1"]},
        {"kind": "evidence", "markers": []},
        {"kind": "evidence", "markers": [""]},
        {"kind": "evidence", "markers": ["a1"], "other": 1},
        {"kind": "rubric", "min_score": 0, "criteria": ["a1"]},
        {"kind": "reference", "text": "a1", "min_similarity": 0},
        {"kind": "budget", "rounds": -1},
    ],
    ids=str,
)
def test_an_expectation_that_decides_nothing_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ANY.validate_python(written)
