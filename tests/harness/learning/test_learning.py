"""Groups of traces, what is wanted of them, and the cases that are made of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from harness.cases import load_suite
from harness.cli.understudy import app
from harness.errors import HarnessError
from harness.learning import Groups, Selection, coverage_of
from harness.learning.calls import is_reading, is_writing, learned_of
from harness.learning.selection import NAMES, values_of
from harness.learning.suites import _played
from mockserver.capture.learned import LearnedCall, RedactedTrace
from mockserver.traces import read_spans
from mockserver.traces.agent_traces import AgentTrace, TracedScore, agent_trace
from tests import told_traces as told
from tests.recordings import interaction


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "ab" * 32)


def story(**changes: Any) -> AgentTrace:
    found = agent_trace(list(read_spans(told.otlp())))
    assert found is not None
    return replace(found, **changes)


def learn(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["learn", *map(str, arguments)])


def written(folder: Path, *requests: Any) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in requests), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("wanted", "changes", "holds"),
    [("", {}, True), ("failed", {}, False), ("failed", {"error": "x"}, True),
     ("thumbs-down", {"scores": (TracedScore("user-feedback", 0.0),)}, True),
     ("thumbs-down", {"scores": (TracedScore("rating", None, "thumbs down"),)}, True),
     ("thumbs-down", {"scores": (TracedScore("toxicity", 0.0),)}, False),
     ("thumbs-down", {"scores": (TracedScore("user-feedback", 0.5),)}, False),
     ("thumbs-down", {"scores": (TracedScore("user-feedback", -1.0),)}, True),
     ("'refund' in tools and duration_s > 3", {}, True), ("agent == 'other'", {}, False),
     ("scores.quality < 0.5", {"scores": (TracedScore("quality", 0.2),)}, True)],
)  # fmt: skip
def test_traces_are_wanted_by_a_word_or_an_expression(
    wanted: str, changes: dict[str, Any], *, holds: bool
) -> None:
    assert Selection(wanted).wants(story(**changes)) is holds


@pytest.mark.parametrize("wanted", ["fail", "tools |", "{{"])
def test_other_words_and_broken_expressions_are_refused(wanted: str) -> None:
    with pytest.raises(HarnessError, match="--only"):
        Selection(wanted)


def test_an_expression_may_speak_of_all_this() -> None:
    failed = replace(story().calls[1], error="no")
    turns = (replace(story().turns[0], calls=(story().calls[0], failed)),)
    scores = (TracedScore("quality", 0.5), TracedScore("thumbs", None, "down"))
    found = values_of(story(turns=turns, scores=scores, conversation="c1"))
    assert tuple(sorted(found)) == NAMES
    assert found == {
        "agent": "shop", "agents": ["shop"], "answer": told.ANSWER, "conversation": "c1",
        "disliked": True, "duration_s": 5.0, "error": "", "failed": True, "id": "aa01",
        "models": ["gpt-5"], "prompt": told.ASKED, "rounds": 1,
        "scores": {"quality": 0.5, "thumbs": "down"}, "system": told.SYSTEM, "tool_errors": ["no"],
        "tools": ["get_order", "refund"], "turns": 1,
    }  # fmt: skip
    bare = values_of(AgentTrace("1"))
    assert (bare["answer"], bare["prompt"], bare["failed"], bare["disliked"]) == (
        "", "", False, False,
    )  # fmt: skip


def test_what_is_kept_of_a_trace() -> None:
    made = learned_of(story(), [str(number) for number in range(11)])
    calls = [
        {"name": name, "arguments": given, "played": True, "result": result}
        for _, name, given, result in told.CALLS
    ]
    assert made.facts == {
        "turns": [{"user": told.ASKED, "answer": told.ANSWER, "calls": calls}],
        "system": told.SYSTEM, "agent": "shop", "error": "", "place": "", "id": "aa01",
        "alike": [str(number) for number in range(10)], "scores": [], "missing": [],
    }  # fmt: skip
    assert made.calls == (
        LearnedCall("get_order", told.GIVEN, told.ORDER, failed=False, reads=True,
                    at="2025-10-09T08:53:21.000Z", duration_ms=1000.0),
        LearnedCall("refund", told.REFUND, told.DONE, failed=False, reads=False,
                    at="2025-10-09T08:53:22.000Z", duration_ms=1000.0),
    )  # fmt: skip
    schema = {"inputSchema": told.SCHEMA}
    assert made.tools == (
        {"name": "get_order", **schema, "annotations": {"readOnlyHint": True}},
        {"name": "refund", **schema},
        {"name": "delete_order", **schema},
    )


def test_a_case_plays_what_was_called_and_asked() -> None:
    listed, called, asked = (interaction(f"https://a.example.com/{n}") for n in range(3))

    def played(*calls: Any, requests: Any = ()) -> dict[str, Any]:
        told = RedactedTrace({}, (), requests)
        return _played(told, "A", calls)

    assert played(listed) == {}
    assert played(listed, called) == {"A.tools": (listed, called)}
    assert played(listed, requests=(asked,)) == {"A.http": (asked,)}


def test_of_tools_that_nobody_described_the_calls_tell_the_schema() -> None:
    first, second = story().calls
    odd = replace(second, name="odd", arguments={"a": 1, "b": [1.5], "c": None, "d": True})
    turns = (replace(story().turns[0], calls=(replace(first, arguments="torn"), odd)),)
    (made,) = learned_of(story(turns=turns, tools={})).tools
    assert made == {
        "name": "odd",
        "description": "Seen in a trace; its schema is that of the calls.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer"}, "b": {"type": "array"}, "c": {},
                "d": {"type": "boolean"},
            },
        },
    }  # fmt: skip


def test_a_group_holds_so_many_different_prompts_and_names_fifty() -> None:
    groups = Groups(2)
    for number in range(51):
        asked = replace(story().turns[0], user=f"Please {min(number // 2, 2)}")
        groups.add(story(id=str(number), turns=(asked,)))
    (group,) = groups
    assert [trace.id for trace in group.traces] == ["0", "2"]
    assert (group.count, groups.count) == (51, 51)
    assert group.ids == [str(number) for number in range(50)]


def test_only_groups_with_a_slow_trace_are_the_slowest() -> None:
    groups = Groups(1, slowest=True)
    for number in range(40):
        fast = story(id=f"f{number}", duration_ms=10.0 + number, turns=())
        groups.add(fast)
    groups.add(story(id="slow", duration_ms=9_000.0))
    assert [[each.id for each in group.traces] for group in groups] == [["f39"], ["slow"]]
    groups.add(story(id="slower", duration_ms=9_500.0))
    assert [group.traces[0].id for group in groups] == ["slower"]


def test_the_slowest_are_known_at_the_end() -> None:
    groups = Groups(2, slowest=True)
    for number in range(40):
        groups.add(story(id=str(number), duration_ms=float(number)))
    (group,) = groups
    assert [trace.id for trace in group.traces] == ["39", "38"]


@pytest.mark.parametrize(
    ("name", "reads", "writes"),
    [("get_order", True, False), ("refund", False, True), ("orderPizza", False, True),
     ("mcp__shop__list_orders", True, False), ("think", False, False)],
)  # fmt: skip
def test_names_of_tools_tell_what_they_do(name: str, *, reads: bool, writes: bool) -> None:
    assert (is_reading(name), is_writing(name)) == (reads, writes)
    hint = {"annotations": {"readOnlyHint": True}}
    assert (is_reading(name, hint), is_writing(name, hint)) == (True, False)


def test_errors_that_differ_in_numbers_are_alike() -> None:
    one, two = story(error="no order 'A-1' (17 ms)"), story(error="no order 'B-9' (3 ms)")
    assert coverage_of(one) == coverage_of(two)
    assert coverage_of(one) != coverage_of(story())


def test_a_suite_is_proposed_with_reasons(tmp_path: Path) -> None:
    """A trace, its variants, and what is left out."""
    other = told.otlp("aa02", A_1001="A-2002")
    traces = written(tmp_path, told.otlp("aa01"), other, told.otlp("aa03"))
    result = learn("--from", traces, "--output", tmp_path / "suite")
    assert result.exit_code == 0, result.output
    assert "1 cases and 1 variants of 3 traces" in result.output
    suite = load_suite(tmp_path / "suite")
    case, variant = sorted(suite.cases, key=lambda each: len(each.tags))
    assert (case.tags, variant.tags[-1]) == (("learned", "proposed"), "variant")
    assert case.fixtures.tools == {"get_order": "mocked", "refund": "mocked"}
    assert [call.name for call in case.reference[0].calls] == ["get_order", "refund"]
    assert "refund with order, cents" in case.notes["Proposed"]
    assert "called once" in case.notes["Proposed"]
    assert case.notes["System"] == told.SYSTEM
    assert case.notes["Group"] == "3 traces: aa01, aa02, aa03"
    text = (tmp_path / "suite" / "cases" / f"{case.id}.yaml").read_text(encoding="utf-8")
    assert "forbidden:\n    - delete_order" in text
    assert "contains:\n      - R-778" in text


def test_tools_are_answered_from_state_or_from_recordings(tmp_path: Path) -> None:
    one, two = told.otlp("aa01"), told.otlp("aa02", A_1001="A-2002", R_778="R-801")
    traces = written(tmp_path, one, two)
    suite, plain = tmp_path / "suite", tmp_path / "plain"
    result = learn("--from", traces, "--output", suite)
    assert "answered from state: get_order, refund" in result.output
    assert not (suite / "cassettes").exists()
    (override,) = suite.glob("fixtures/*/overrides.json")
    assert json.loads(override.read_text()) == {"learned:keys": {"refunds": ["R-801"]}}
    base = json.loads((suite / "base" / "learned.json").read_text())
    assert [row["order"] for row in base["learned"]["orders"]] == ["A-1001", "A-2002"]

    assert learn("--from", traces, "--output", plain, "--recorded").exit_code == 0
    assert not (plain / "base").exists()
    assert len(list(plain.glob("cassettes/*.yaml"))) == 2
    assert {case.fixtures.repeats for case in load_suite(plain).cases} == {"last"}


@pytest.mark.slow
def test_what_is_added_later_is_answered_from_recordings(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    first = written(tmp_path, told.otlp("aa01"))
    assert learn("--from", first, "--output", suite).exit_code == 0
    later = written(tmp_path, told.otlp("aa02", refund="pay_back"))
    assert learn("--from", later, "--output", suite, "--append").exit_code == 0
    (patch,) = suite.glob("fixtures/*/learned.patch.json")
    assert [each["path"] for each in json.loads(patch.read_text())] == [
        "/tools/get_order", "/tools/refund"
    ]  # fmt: skip
    (cassette,) = suite.glob("cassettes/*.yaml")
    assert cassette.stem.removesuffix(".tools") == patch.parent.name
    run = ("run", str(suite), "--agent", "oracle", "--run-dir", str(tmp_path / "runs"))
    assert "cases  2/2" in CliRunner().invoke(app, run).output


def test_http_of_spans_becomes_cassettes(tmp_path: Path) -> None:
    """What was asked of models is apart: `understudy replay` plays it."""
    trace = told.otlp("aa01")
    spans = trace["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for number, (url, answer) in enumerate(
        [("https://api.shop.example.com/rates", {"eur": 1.1}), ("https://x.example.com/", None),
         ("https://api.openai.com/v1/chat/completions", {"object": "chat.completion"})]
    ):  # fmt: skip
        attributes = {
            "http.request.method": "POST",
            "url.full": url,
            "http.request.body.text": "{}",
        }
        attributes |= {} if answer is None else {"http.response.body.text": json.dumps(answer)}
        made = [{"key": name, "value": {"stringValue": each}} for name, each in attributes.items()]
        made.append({"key": "http.response.status_code", "value": {"intValue": "200"}})
        spans.append({**spans[0], "spanId": f"4{number}", "name": "POST", "attributes": made})
    suite = tmp_path / "suite"
    assert learn("--from", written(tmp_path, trace), "--output", suite).exit_code == 0
    (case,) = load_suite(suite).cases
    assert case.fixtures.cassettes == (f"{case.id}.http",)
    assert "the answers of 1 requests were not captured" in case.notes["Missing"]
    http = (suite / "cassettes" / f"{case.id}.http.yaml").read_text()
    models = (suite / "cassettes" / f"{case.id}.models.yaml").read_text()
    assert (http.count("uri:"), models.count("uri:")) == (1, 1)
    assert "api.openai.com" in models


def test_a_trace_without_a_last_answer_spoils_no_other(tmp_path: Path) -> None:
    hello, gone = ({"role": "user", "content": text} for text in ("Hello.", "###STOP###"))
    answer = {"role": "assistant", "content": "How can I help you with your order today?"}
    suite = tmp_path / "suite"
    traces = written(
        tmp_path,
        {"messages": [hello, answer, gone]},
        {"messages": [hello]},
        told.otlp(),
        told.otlp("aa02", **{"4250": 2**70}),
    )
    result = learn("--from", traces, "--output", suite)
    assert "no answer and no call of a tool is told" in result.output
    assert "cannot be kept: Integer exceeds 64-bit range" in result.output
    assert len(load_suite(suite).cases) == 2


SECRET = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 2


def test_secrets_are_gone_and_pseudonyms_are_joined(tmp_path: Path) -> None:
    one = told.otlp("aa01", A_1001="ann.berg@corp.io", customers=SECRET)
    two = told.otlp("aa02", A_1001="ann.berg@corp.io", Please="Now")
    suite = tmp_path / "suite"
    assert learn("--from", written(tmp_path, one, two), "--output", suite).exit_code == 0
    everything = "\n".join(
        each.read_text(encoding="utf-8") for each in suite.rglob("*") if each.is_file()
    )
    assert "corp.io" not in everything
    assert SECRET not in everything
    asked = {case.turns[0].user.split()[-1].strip(".") for case in load_suite(suite).cases}
    args = {case.reference[0].calls[0].args["order"] for case in load_suite(suite).cases}
    assert asked == args
    assert len(args) == 1


def test_ids_of_traces_take_the_same_road(tmp_path: Path) -> None:
    secret = "0b4f0f3e-77b5-4f0e-9a43-2d2f6f0a9c11"
    suite = tmp_path / "suite"
    traces = written(tmp_path, told.otlp(secret), told.otlp("aa02"))
    assert learn("--from", traces, "--output", suite).exit_code == 0
    (case,) = load_suite(suite).cases
    assert secret not in "\n".join((*case.source_refs, *case.notes.values()))
    assert case.source_refs[-1].removeprefix("trace ") in case.notes["Group"]


def test_a_suite_may_be_written_into_new_folders(tmp_path: Path) -> None:
    suite = tmp_path / "a" / "b"
    assert learn("--from", written(tmp_path, told.otlp()), "--output", suite).exit_code == 0
    assert len(load_suite(suite).cases) == 1


def test_append_adds_only_what_is_not_covered(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    traces = written(tmp_path, told.otlp("aa01"))
    assert learn("--from", traces, "--output", suite).exit_code == 0
    again = learn("--from", traces, "--output", suite)
    assert "is there already" in str(again.exception)
    longer = told.otlp("aa02", refund="pay_back")
    traces = written(tmp_path, told.otlp("aa01"), longer)
    added = learn("--from", traces, "--output", suite, "--append")
    assert "1 cases and 0 variants" in added.output
    assert "covered already: get_order(order), refund(cents, order); answered: by" in added.output
    assert len(load_suite(suite).cases) == 2


def test_texts_that_look_like_variables_stay_as_they_are(tmp_path: Path) -> None:
    asked = told.otlp("aa01", Please="Fill in {{name}} and")
    suite = tmp_path / "suite"
    assert learn("--from", written(tmp_path, asked), "--output", suite).exit_code == 0
    (case,) = load_suite(suite).cases
    assert "{{name}}" in case.turns[0].user


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "name either --from"), (["--from", "x.json"], "--output is missing"),
     (["--cassette", "x.yaml"], "--suite is missing"),
     (["--from", "a", "--cassette", "b"], "name either --from")],
    ids=["nothing", "no output", "no suite", "both"],
)  # fmt: skip
def test_what_is_missing_is_said(arguments: list[str], said: str) -> None:
    assert said in str(learn(*arguments).exception)


def test_nothing_is_written_where_no_trace_becomes_a_case(tmp_path: Path) -> None:
    bare = json.loads(json.dumps(told.otlp()).replace("messages", "hidden"))
    result = learn("--from", written(tmp_path, bare), "--output", tmp_path / "suite")
    assert "what the user said was not captured" in str(result.exception)
    assert "CAPTURE_MESSAGE_CONTENT" in result.output
    assert not (tmp_path / "suite").exists()
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    empty = learn("--from", tmp_path / "x.json", "--output", tmp_path / "suite")
    assert "no trace of an agent" in str(empty.exception)


@pytest.mark.slow
def test_the_oracle_passes_and_who_does_nothing_fails(tmp_path: Path) -> None:
    """A real server plays the recorded tools."""
    traces = tmp_path / "exports"
    traces.mkdir()
    for name, value in told.FORMATS.items():
        asked = json.dumps(value).replace(told.ASKED, f"{told.ASKED} ({name})")
        for id in ("t", "s", "1"):  # traces of several tools with one id would be one
            asked = asked.replace(f'"{id}"', f'"{name}"')
        (traces / f"{name}.json").write_text(asked, encoding="utf-8")
    suite = tmp_path / "suite"
    result = learn("--from", traces, "--output", suite, "--variants", len(told.FORMATS))
    assert result.exit_code == 0, result.output
    assert len(load_suite(suite).cases) == len(told.FORMATS)
    for agent, code, passed in (("oracle", 0, len(told.FORMATS)), ("null", 1, 0)):
        run = ("run", str(suite), "--agent", agent, "--run-dir", str(tmp_path / "runs"))
        told_by = CliRunner().invoke(app, run)
        assert told_by.exit_code == code, told_by.output
        assert f"cases  {passed}/{len(told.FORMATS)}" in told_by.output
