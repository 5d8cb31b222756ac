"""Every kind has a check and words of its own, and every field of every kind is read."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, get_args

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.checks import CHECKS
from harness.checks.expect_block import (
    Expect,
    TurnExpect,
    expectations,
    without_defaults,
    written_block,
)
from harness.checks.expectation import AnyExpectation, failed, not_evaluated, passed, verdict
from harness.checks.registry import Check, _accept, check
from harness.checks.sections import Section
from harness.model import (
    Budget,
    CallEvent,
    ChangeEvent,
    Conversation,
    Count,
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    ExpectedRequest,
    ExpectedRow,
    ExpectedScore,
    Files,
    ForbiddenCall,
    ForbiddenEvidence,
    ForbiddenTools,
    Grounding,
    Judge,
    Loops,
    MaxCalls,
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
    Score,
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
    UserRecord,
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
    MaxCalls(counts={"t": 1}),
    ServerRequests(requests=(ExpectedRequest(method="a.b"),)),
    ServerState(
        rows=(ExpectedRow(collection="users"),),
        unchanged=("u*",),
        allow=(ChangeEvent(collection="g*", fields=("/a",)),),
    ),
    Files(files=(ExpectedFile(path="f", contains=("x",)),)),
    ExpectedScore(name="s", min=0.5),
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
    Conversation(max_turns=1),
    JUDGE,
)
TRIAL = record(
    reply("a", call("t", status="ok"), call("u"), usage=Usage(input_tokens=1, output_tokens=1)),
    session="s1",
    exit_code=0,
    scores=(Score(name="s", value=0.7),),
    files={"f": WorkspaceFile(size=1, text="x")},
    journal=Journal(entries=(entry("a.b"),)),
    state={"users": {"u1": {"id": "u1"}}},
    opinions=(Opinion(asked=JUDGE.question_hash, sample=1, verdict="pass", model="m", prompt="p"),),
    user=UserRecord(ended="goal"),
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
        "note": "",
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


def test_a_trial_can_show_all_that_a_turn_can_show() -> None:
    assert set(TurnExpect.model_fields) < set(Expect.model_fields)


@pytest.mark.parametrize("key", ["server", "files", "exit_code"])
def test_a_turn_has_no_end_of_its_own(key: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        TurnExpect.model_validate({key: 0})


def test_a_reference_may_be_a_text() -> None:
    (found,) = expectations(TurnExpect.model_validate({"reference": "Restart."}))
    assert found == Reference(text="Restart.", min_similarity=0.3)


WRITTEN_AND_MEANT: list[tuple[dict[str, Any], Any]] = [
    ({"text": {"contains": "a1"}}, TextContains(needles=("a1",))),
    (
        {"text": {"contains": ["a1", "b1"], "match": "any"}},
        TextContains(needles=("a1", "b1"), match="any"),
    ),
    ({"text": {"not_contains": ["a1"]}}, TextLacks(needles=("a1",))),
    ({"text": {"regex": "a.c"}}, TextMatches(patterns=("a.c",))),
    ({"text": {"evidence": ["a1"], "required": False}}, Evidence(markers=("a1",), required=False)),
    (
        {"text": {"forbidden_evidence": "a1", "unless": "not"}},
        ForbiddenEvidence(markers=("a1",), unless=("not",)),
    ),
    ({"reply": {"schema": ["diagnosis"]}}, ReplySchema(fields=("diagnosis",))),
    ({"reply": {"schema": {"type": "object"}}}, ReplySchema(json_schema={"type": "object"})),
    ({"reply": {"schema": "python:app:Reply"}}, ReplySchema(model="python:app:Reply")),
    ({"rubric": {"min_score": 1, "criteria": ["a1"]}}, Rubric(min_score=1, criteria=("a1",))),
    (
        {"tools": {"mode": "in_order", "calls": ["a", {"name": "b", "args": {"c": 1}}]}},
        ToolCalls(
            mode="in_order", calls=(ExpectedCall(name="a"), ExpectedCall(name="b", args={"c": 1}))
        ),
    ),
    (
        {"tools": {"mode": "in_order", "calls": ["a", {"unordered": ["b", {"name": "c"}]}]}},
        ToolCalls(
            mode="in_order",
            calls=(
                ExpectedCall(name="a"),
                ExpectedCall(name="b", group="unordered 2"),
                ExpectedCall(name="c", group="unordered 2"),
            ),
        ),
    ),
    ({"tools": {"extra": {"max": 0}}}, ToolCalls(extra_max=0)),
    ({"tools": {"forbidden": ["delete_*"]}}, ForbiddenTools(globs=("delete_*",))),
    ({"tools": {"min": {"search": 2}}}, MinCalls(counts={"search": 2})),
    ({"tools": {"max": {"search": 2}}}, MaxCalls(counts={"search": 2})),
    ({"reference": "Restart."}, Reference(text="Restart.")),
    (
        {"server": {"requests": ["a.*"], "allow_others": False}},
        ServerRequests(requests=(ExpectedRequest(method="a.*"),), allow_others=False),
    ),
    (
        {"server": {"state": {"expect": [{"collection": "users"}], "unchanged": "groups"}}},
        ServerState(rows=(ExpectedRow(collection="users"),), unchanged=("groups",)),
    ),
    (
        {"tools": {"mode": "subset", "calls": [{"name": "a", "count": 2}], "ignore": "t*"}},
        ToolCalls(
            mode="subset",
            calls=(ExpectedCall(name="a", count=Count(min=2, max=2)),),
            ignore=("t*",),
        ),
    ),
    (
        {"tools": {"forbidden": ["a", {"name": "b*", "args": {"x": {"glob": "*"}}}]}},
        ForbiddenTools(globs=("a",), calls=(ForbiddenCall(name="b*", args={"x": {"glob": "*"}}),)),
    ),
    (
        {"milestones": [{"name": "m", "call": "a"}, {"name": "n", "request": "b", "after": "m"}]},
        Milestones(
            milestones=(
                Milestone(name="m", call=CallEvent(name="a")),
                Milestone(name="n", request=RequestEvent(method="b"), after=("m",)),
            )
        ),
    ),
    (
        {"minefields": ["delete*", {"changed": "users"}]},
        Minefields(
            mines=(
                Minefield(call=CallEvent(name="delete*")),
                Minefield(changed=ChangeEvent(collection="users")),
            )
        ),
    ),
    ({"witnesses": {"tools": ["get*"]}}, Witnesses(tools=("get*",))),
    ({"witnesses": {}}, Witnesses()),
    ({"signals": {"words": ["a1", "b1"]}}, Signals(words=("a1", "b1"))),
    (
        {"signals": {"words": "a1", "min_words": 1, "min_length": 9, "required": False}},
        Signals(words=("a1",), min_words=1, min_length=9, required=False),
    ),
    (
        {"grounding": {"kinds": ["email"], "required": False}},
        Grounding(kinds=("email",), required=False),
    ),
    ({"routing": {"to": "a", "among": ["h*"]}}, Routing(to="a", among=("h*",))),
    (
        {"loops": {"generate": "g", "evaluate": "e", "max": 2}},
        Loops(generate="g", evaluate="e", max=2),
    ),
    (
        {"server": {"state": {"allow": ["users", {"collection": "g*", "fields": ["/a"]}]}}},
        ServerState(
            allow=(ChangeEvent(collection="users"), ChangeEvent(collection="g*", fields=("/a",)))
        ),
    ),
    ({"files": ["out.txt"]}, Files(files=(ExpectedFile(path="out.txt"),))),
    ({"exit_code": 0}, ExitCode(code=0)),
    ({"budget": {"rounds": 15}}, Budget(rounds=15)),
    (
        {"stop": {"any": [{"tool": "done", "last": True}]}},
        Stop(any=(StopCondition(tool="done", last=True),)),
    ),
    (
        {"patterns": {"patterns": ["regex:a+"], "match": "any"}},
        Patterns(patterns=("regex:a+",), match="any"),
    ),
    ({"service": {"status": "success"}}, ServiceStatus()),
    (
        {"service": {"status": "client_error", "code": "EMPTY"}},
        ServiceStatus(family="client_error", code="EMPTY"),
    ),
    ({"service": {"observations": {"max": 3}}}, ObservationCount(max=3)),
    (
        {"service": {"observations": {"severities": "warning"}}},
        ObservationSeverity(severity="warning"),
    ),
    ({"service": {"observations": {"refs": "A-1"}}}, ObservationRef(ref="A-1")),
    ({"score": {"name": "s", "min": 0.7}}, ExpectedScore(name="s", min=0.7)),
    ({"judge": {"question": "q", "samples": 3}}, Judge(question="q", samples=3)),
    ({"conversation": {"ended": "stop"}}, Conversation(ended=("stop",))),
    ({"phases": [{"first": 0, "tools": ["*"]}]}, Phases(phases=(Phase(first=0, tools=("*",)),))),
]


@pytest.mark.parametrize(("written", "meant"), WRITTEN_AND_MEANT, ids=lambda value: str(value)[:60])
def test_each_block_becomes_its_expectation(written: dict[str, Any], meant: Expectation) -> None:
    assert expectations(Expect.model_validate(written)) == (meant,)


def test_every_kind_of_expectation_can_be_written() -> None:
    """A kind that no author can write would never be checked."""
    assert {type(meant) for _, meant in WRITTEN_AND_MEANT} == {
        check.kind for check in CHECKS.values()
    }


OF_A_TURN = [item for item, _ in WRITTEN_AND_MEANT if item.keys() <= TurnExpect.model_fields.keys()]


@pytest.mark.parametrize("written", OF_A_TURN, ids=lambda value: str(value)[:60])
def test_what_is_written_at_a_turn_speaks_of_it(written: dict[str, Any]) -> None:
    (found,) = expectations(TurnExpect.model_validate(written), 2)
    assert found.turn == 2


def test_nothing_written_expects_nothing() -> None:
    assert expectations(None) == ()
    assert expectations(Expect()) == ()


A, B = ExpectedCall(name="a"), ExpectedCall(name="b", args={"n": 1}, args_mode="exact")
PAIR = (
    A.model_copy(update={"group": "unordered 2"}),
    B.model_copy(update={"group": "unordered 2"}),
)


def read(block: dict[str, Any], turn: int | None = None) -> list[str]:
    model = Expect if turn is None else TurnExpect
    return sorted(map(repr, expectations(model.model_validate(block), turn)))


@pytest.mark.parametrize(
    ("expect", "block"),
    [
        (
            [TextContains(needles=("x",), match="any")],
            {"text": {"contains": ["x"], "match": "any"}},
        ),
        ([ExitCode(code=3)], {"exit_code": 3}),
        ([ToolCalls(calls=(A,), extra_max=1)], {"tools": {"calls": ["a"], "extra": {"max": 1}}}),
        (
            [ToolCalls(mode="in_order", calls=(A, *PAIR))],
            {
                "tools": {
                    "mode": "in_order",
                    "calls": [
                        "a",
                        {
                            "unordered": [
                                {"name": "a"},
                                {"name": "b", "args": {"n": 1}, "args_mode": "exact"},
                            ]
                        },
                    ],
                }
            },
        ),
        (
            [ServerState(unchanged=("users",), required=False)],
            {"server": {"state": {"unchanged": ["users"]}, "required": False}},
        ),
        (
            [
                ServiceStatus(),
                ObservationCount(max=2),
                ObservationSeverity(severity="info"),
                ObservationSeverity(severity="warning"),
            ],
            {
                "service": {
                    "status": "success",
                    "observations": {"max": 2, "severities": ["info", "warning"]},
                }
            },
        ),
    ],
    ids=["text", "a value", "tools", "groups", "server", "service"],
)
def test_expectations_are_put_into_the_words_of_an_author(
    expect: list[Expectation], block: dict[str, Any]
) -> None:
    assert written_block(expect, None) == (block, ())
    assert read(block) == sorted(map(repr, expect))


def test_what_stands_side_by_side_is_put_together() -> None:
    expect: list[Expectation] = [
        Evidence(markers=("x",), turn=2),
        TextMatches(patterns=("y",), turn=2),
        ForbiddenTools(globs=("z*",), turn=2),
    ]
    block, left = written_block(expect, 2)
    assert block == {"text": {"evidence": ["x"], "regex": ["y"]}, "tools": {"forbidden": ["z*"]}}
    assert (left, read(block, 2)) == ((), sorted(map(repr, expect)))


@pytest.mark.parametrize(
    ("expect", "kept"),
    [
        pytest.param([TextContains(needles=("x",)), TextContains(needles=("y",))], 1, id="twice"),
        pytest.param(
            [Evidence(markers=("x",)), TextContains(needles=("y",), required=False)],
            1,
            id="required",
        ),
        pytest.param([ExitCode(code=1), ExitCode(code=1)], 1, id="a mere value twice"),
        pytest.param([ExitCode(code=1, required=False)], 1, id="no room for more"),
        pytest.param([ToolCalls(calls=(A, PAIR[0]))], 1, id="a group of one"),
        pytest.param([TextMatches(patterns=("(",))], 1, id="what an author may not write"),
    ],
)
def test_what_has_no_words_is_left(expect: list[Expectation], kept: int) -> None:
    block, left = written_block(expect, None)
    assert len(left) == kept
    assert sorted([*read(block), *map(repr, left)]) == sorted(map(repr, expect))


def test_what_only_a_whole_trial_can_expect_is_left_by_a_turn() -> None:
    item = ExitCode(code=1, turn=1)
    assert written_block([item], 1) == ({}, (item,))
    assert without_defaults(item) == {"kind": "exit_code", "code": 1, "turn": 1}


@pytest.mark.parametrize("kind", [{"a": 1}, ["a"], 1, None])
def test_a_kind_that_is_no_text_is_refused(kind: object) -> None:
    with pytest.raises(ValidationError, match="kind"):
        TypeAdapter(Expectation).validate_python({"kind": kind})


class _Extra(AnyExpectation):
    """An expectation of a plug-in."""

    kind: Literal["extra"] = "extra"
    failure: ClassVar[str] = "extra"


class _Silent(AnyExpectation):
    """An expectation without a class of failure."""

    kind: Literal["silent"] = "silent"


def _check_of(kind: type[AnyExpectation], name: str, run: Any = passed) -> Check:
    section = Section(name, "Extra.", bool, lambda value, turn: ())
    return Check(kind, lambda record, expectation: run(expectation), section)


@pytest.mark.parametrize(
    ("name", "provided", "text"),
    [
        ("extra", 3, "an object of type int, and no harness.checks.Check"),
        ("extra", Check(BaseModel, lambda record, expectation: None, None),  # type: ignore[arg-type,return-value]
         "its kind is no class of harness.checks.AnyExpectation"),
        ("no name", _check_of(_Extra, "extra"), "'no name' cannot be a word under expect"),
        ("model_dump", _check_of(_Extra, "extra"), "'model_dump' cannot be a word under expect"),
        ("other", _check_of(_Extra, "other"), "its kind is called 'extra', and the entry point"),
        ("extra", _check_of(_Extra, "other"), "its section is called 'other', and the entry point"),
        ("silent", _check_of(_Silent, "silent"), "its kind has no class of failure"),
    ],
)  # fmt: skip
def test_a_check_of_a_plugin_that_cannot_be_is_refused(name: str, provided: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        _accept(name, provided)


def _fail(expectation: AnyExpectation) -> Any:
    raise KeyError("broken")


@pytest.mark.parametrize(
    ("run", "status", "reason"),
    [
        (passed, "pass", ""),
        (_fail, "not_evaluated", "the plug-in 'extra' failed: KeyError: 'broken'"),
        (lambda expectation: True, "not_evaluated",
         "the plug-in 'extra' failed: TypeError: it provides an object of type bool,"
         " and no CheckResult"),
    ],
)  # fmt: skip
def test_where_a_check_of_a_plugin_fails_nothing_is_said_of_the_trial(
    run: Any, status: str, reason: str
) -> None:
    found = _accept("extra", _check_of(_Extra, "extra", run)).run(record("x"), _Extra())
    assert (found.status, found.reason) == (status, reason)
