"""Each format is read into the same trials: cases, verdicts, times, what was said."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic_core import to_json

from harness.errors import HarnessError
from harness.foreign import ImportedTrial, ReadOptions, SourceFile, columns_of, read_results
from harness.foreign.results import assemble_run, rfc3339, text_of
from tests import told_traces

GOLDEN = Path(__file__).with_name("read.golden.json")
REPORTS = Path(__file__).parents[1] / "reports" / "golden"

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" tests="4"
 timestamp="2026-11-20T10:15:00+01:00">
<testcase classname="tests.test_a" name="test_good" time="0.25"/>
<testcase classname="tests.test_a" name="test_bad[1]" time="1,000.5">
<failure message="no &lt;b&gt;"/></testcase>
<testcase classname="tests.test_a" name="test_broken"><error message="no database"/></testcase>
<testcase classname="tests.test_a" name="test_later" time="x"><skipped message="later"/></testcase>
<testcase name="reruns"><rerunFailure>trace
last line</rerunFailure><rerunFailure type="T"/></testcase>
</testsuite></testsuites>"""

INSPECT: dict[str, Any] = {
    "version": 2,
    "eval": {
        "task": "sums",
        "model": "mockllm/model",
        "created": "2026-11-20T09:00:00+00:00",
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "includes"}, {"name": "closeness"}],
    },
    "samples": [
        {
            "id": "one plus one",
            "epoch": 1,
            "input": "What is 1+1?",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is 1+1?"},
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "reasoning": "hm"}],
                    "tool_calls": [{"id": "c1", "function": "add", "arguments": {"x": 1, "y": 1}}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "2"},
                {"role": "assistant", "content": "attachment://a1"},
            ],
            "attachments": {"a1": "It is 2."},
            "scores": {
                "includes": {"value": "C", "answer": "2"},
                "closeness": {"value": 0.7, "explanation": "near"},
                "parts": {"value": {"form": True, "depth": 1}},
            },
            "model_usage": {"a": {"input_tokens": 3, "output_tokens": 2, "total_cost": 0.5}},
            "started_at": "2026-11-20T09:00:01+00:00",
            "total_time": 1.5,
            "working_time": 1.0,
        },
        {
            "id": 2, "epoch": 1, "input": [{"role": "user", "content": "Rome?"}],
            "error": {"message": "429"},
        },
    ],
}  # fmt: skip

PROMPTFOO: dict[str, Any] = {
    "evalId": "e1",
    "results": {
        "version": 3,
        "timestamp": "2026-11-20T09:00:00.000Z",
        "stats": {},
        "results": [
            {
                "provider": {"id": "echo", "label": ""},
                "prompt": {"raw": "Say hello", "label": "Say {{what}}"},
                "vars": {"what": "hello"},
                "testCase": {"description": "greets"},
                "success": success,
                "score": 0.5 + success / 2,
                "latencyMs": 7,
                "cost": 0.25,
                "response": {"output": "Say hello", "tokenUsage": {"total": 9}},
                "gradingResult": {
                    "pass": success,
                    "reason": "All assertions passed" if success else "no HELLO",
                    "namedScores": {"tone": 0.5},
                    "componentResults": [
                        {"pass": True, "score": 1, "assertion": {"type": "contains"}},
                        {"pass": success, "score": 1, "assertion": {"type": "contains"}},
                    ],
                },
            }
            for success in (True, False)
        ]
        + [
            {
                "provider": "echo",
                "prompt": {"raw": '[{"role": "user", "content": "Hi"}]', "label": "Say {{what}}"},
                "vars": {"what": "bye"},
                "success": False,
                "error": "API call failed",
                "failureReason": 2,
            }
        ],
    },
    "config": {"description": "Greetings"},
    "metadata": {"promptfooVersion": "0.121.20"},
}

CSV = """\ufeffTest ID;Epoch;Result;Comment;Latency ms;Prompt;Response;Tokens
a/b;1;Passed;;12,5;Why?;Because.;30
a/b;2;FAIL;'=too short;10;Why?;No.;30
c;1;error;timed out;;;;
d;1;maybe;;;;;
e;1;skipped;;;;;
"""


def trials(tmp_path: Path, content: str | bytes, **options: Any) -> tuple[str, list[ImportedTrial]]:
    path = tmp_path / "results"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    name, found = read_results(SourceFile(path), ReadOptions(**options))
    return name, list(found.trials)


def told(trial: ImportedTrial) -> tuple[Any, ...]:
    """Case, outcome, verdict, reason or error."""
    verdict = next((each for each in trial.scores if each.name in trial.deciding), None)
    if verdict is None:
        return trial.case, trial.outcome, None, trial.error
    return trial.case, trial.outcome, verdict.passed, verdict.reason


def test_junit_as_pytest_writes_it(tmp_path: Path) -> None:
    name, found = trials(tmp_path, PYTEST)
    assert name == "junit"
    assert [told(each) for each in found] == [
        ("tests.test_a.test_good", "replied", True, ""),
        ("tests.test_a.test_bad[1]", "replied", False, "no <b>"),
        ("tests.test_a.test_broken", "infra_error", None, "no database"),
        ("tests.test_a.test_later", "skipped", None, "later"),
        ("pytest.reruns", "replied", False, "last line"),
        ("pytest.reruns", "replied", False, "T"),
        ("pytest.reruns", "replied", True, ""),
    ]
    assert [each.duration_ms for each in found[:4]] == [250, 1000500, 0, 0]
    assert found[0].started_at == "2026-11-20T09:15:00.000Z"


def test_a_log_of_inspect(tmp_path: Path) -> None:
    name, (good, broken) = trials(tmp_path, json.dumps(INSPECT))
    assert (name, broken.case, broken.outcome, broken.error) == (
        "inspect",
        "2",
        "infra_error",
        "429",
    )
    assert (good.turns, broken.turns) == (("What is 1+1?",), ("Rome?",))
    assert {each.name: (each.passed, each.value) for each in good.scores} == {
        "includes": (True, "C"),
        "closeness": (None, 0.7),
        "parts/form": (True, 1.0),
        "parts/depth": (True, 1.0),
    }
    assert good.deciding == {"includes", "closeness"}
    (reply,) = good.replies
    assert (reply.prompt, reply.text, reply.rounds) == ("What is 1+1?", "It is 2.", 2)
    (call,) = reply.tool_calls
    assert (call.name, call.args, call.result, call.status) == ("add", {"x": 1, "y": 1}, "2", "ok")
    assert (reply.usage.input_tokens, reply.usage.cost_usd) == (3, 0.5)
    assert (good.duration_ms, good.agent_ms) == (1500, 1000)


def test_results_of_promptfoo(tmp_path: Path) -> None:
    name, found = trials(tmp_path, json.dumps(PROMPTFOO))
    assert name == "promptfoo"
    assert [told(each) for each in found] == [
        ("greets", "replied", True, ""),
        ("greets", "replied", False, "no HELLO"),
        ("what=bye", "infra_error", None, "API call failed"),
    ]
    names = {each.name for each in found[0].scores}
    assert names == {"verdict", "contains", "contains 2", "tone"}
    assert found[0].replies[0].usage.total_tokens == 9
    assert found[2].turns == ("Hi",)


@pytest.mark.parametrize(
    ("reason", "grading", "outcome"),
    [(2, {"pass": False}, "infra_error"), (1, {"pass": False}, "replied"), (1, {}, "infra_error"),
     (3, {"pass": False}, "replied")],
)  # fmt: skip
def test_a_result_of_promptfoo_broke_where_it_says_so(
    tmp_path: Path, reason: int, grading: Any, outcome: str
) -> None:
    whole = json.loads(json.dumps(PROMPTFOO))
    broken = whole["results"]["results"][2]
    broken |= {"failureReason": reason, "gradingResult": grading}
    assert trials(tmp_path, json.dumps(whole))[1][2].outcome == outcome


def test_of_our_own_junit_trials_of_unknown_statuses_are_passed_over(tmp_path: Path) -> None:
    named = "".join(
        f'<property name="{name}" value="{value}"/>'
        for name, value in (("run", "r"), ("suite", "s"), ("agent", "echo"))
    )
    told = "".join(
        f'<property name="trial {number}" value="{value}"/>'
        for number, value in enumerate(("odd, 1 s", "pass, 0.5 s", "fail, 2 s: no", "odd"), 1)
    )
    text = (
        f'<testsuite name="policy"><properties>{named}</properties><testcase name="A Title">'
        f"<properties>{told}</properties></testcase></testsuite>"
    )
    found = trials(tmp_path, text)[1]
    assert [(each.case, each.title, each.number, each.duration_ms) for each in found] == [
        ("A", "Title", 2, 500), ("A", "Title", 3, 2000),
    ]  # fmt: skip


def test_who_speaks_first_in_inspect_and_how_often_does_not_matter(tmp_path: Path) -> None:
    whole = json.loads(json.dumps(INSPECT))
    said = [
        {"role": role, "content": text}
        for role, text in (
            ("assistant", "Hello."), ("user", "Hi."), ("user", "Are you there?"),
            ("assistant", "Yes."),
        )
    ]  # fmt: skip
    whole["samples"][0]["messages"] = said
    (trial, _) = trials(tmp_path, json.dumps(whole))[1]
    told = [(each.turn, each.prompt, each.text, each.rounds) for each in trial.replies]
    assert told == [(1, "", "Hello.", 1), (2, "Hi.\nAre you there?", "Yes.", 1)]


def test_prompts_make_cases_and_providers_must_be_chosen(tmp_path: Path) -> None:
    whole = json.loads(json.dumps(PROMPTFOO))
    results = whole["results"]["results"]
    results[1]["prompt"]["label"] = "Repeat {{what}}"
    _, found = trials(tmp_path, json.dumps(whole))
    assert {each.case for each in found[:2]} == {
        "greets [Say {{what}}]",
        "greets [Repeat {{what}}]",
    }
    results[1]["provider"] = {"id": "openai:x", "label": "mini"}
    with pytest.raises(HarnessError, match="2 agents") as raised:
        trials(tmp_path, json.dumps(whole))
    assert raised.value.hint == "--agent, one of 'echo', 'mini'"
    assert len(trials(tmp_path, json.dumps(whole), agent="mini")[1]) == 1


def test_a_csv_of_anyone(tmp_path: Path) -> None:
    name, found = trials(tmp_path, CSV)
    assert name == "csv"
    assert [told(each) for each in found] == [
        ("a/b", "replied", True, ""),
        ("a/b", "replied", False, "=too short"),
        ("c", "infra_error", None, "timed out"),
        ("d", "replied", None, "the status 'maybe' is neither a pass nor a failure"),
        ("e", "skipped", None, ""),
    ]
    assert [each.duration_ms for each in found[:2]] == [0, 10]
    assert (found[0].number, found[0].turns, found[0].replies[0].text) == (1, ("Why?",), "Because.")
    assert not found[2].replies


def test_columns_are_named_where_headers_say_nothing(tmp_path: Path) -> None:
    text = "frage\tpunkte\nA\t0.75\nB\t1\n"
    with pytest.raises(HarnessError, match="in no format"):
        trials(tmp_path, text)
    columns = columns_of(["case=frage", "score=punkte"])
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")
    _, found = read_results(SourceFile(path), ReadOptions(columns=columns), "csv")
    scores = [score for each in found.trials for score in each.scores]
    assert [(each.name, each.value, each.passed) for each in scores] == [
        ("score", 0.75, None),
        ("score", 1.0, True),
    ]
    with pytest.raises(HarnessError, match="has no column 'gone'"):
        read_results(SourceFile(path), ReadOptions(columns={"case": "gone"}), "csv")
    with pytest.raises(HarnessError, match="names the cases"):
        read_results(SourceFile(path), ReadOptions(), "csv")
    with pytest.raises(HarnessError, match="MEANING=HEADER"):
        columns_of(["caes=frage"])


def test_parquet_of_anyone(tmp_path: Path) -> None:
    table = pa.table({
        "test": ["A", "B"],
        "passed": [True, False],
        "duration": [1.5, None],
        "timestamp": pa.array([datetime(2026, 11, 20, 9, tzinfo=UTC)] * 2),
        "error": [None, "boom"],
    })  # fmt: skip
    parquet.write_table(table, tmp_path / "t.parquet")
    name, found = trials(tmp_path, (tmp_path / "t.parquet").read_bytes())
    assert name == "parquet"
    assert [told(each) for each in found] == [
        ("A", "replied", True, ""),
        ("B", "replied", False, "boom"),
    ]
    assert (found[0].duration_ms, found[0].started_at) == (1500, "2026-11-20T09:00:00.000Z")


def test_a_case_expects_what_decides_and_shows_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(INSPECT), encoding="utf-8")
    options = ReadOptions(min_score=0.6)
    _, found = read_results(SourceFile(path), options)
    (case, other), records = assemble_run(found, options)
    assert (case.title, other.id) == ("one plus one", "2")
    assert {(each.name, each.required, each.min) for each in case.expect} == {  # type: ignore[attr-defined]
        ("includes", True, 0.6),
        ("closeness", True, 0.6),
        ("parts/form", False, 0.6),
        ("parts/depth", False, 0.6),
    }
    assert [record.number for record in records] == [1, 1]
    chosen = assemble_run(found, ReadOptions(scores=("includes",)))[0][0]
    assert [each.required for each in chosen.expect] == [True, False, False, False]


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-11-20T09:00:00", "2026-11-20T09:00:00.000Z"),
        ("0001-01-01T00:00:00+14:00", ""),
        (5, ""),
        ("soon", ""),
    ],
)
def test_moments_that_tell_nothing_are_absent(value: object, moment: str) -> None:
    assert rfc3339(value) == moment


def test_anything_has_a_text() -> None:
    assert [text_of(each) for each in (None, "a", ["b"], 1.5)] == ["", "a", '["b"]', "1.5"]


def read_in_whole(folder: Path) -> dict[str, Any]:
    """Everything that is read of a file of each format."""
    files: dict[str, str | bytes] = {
        "junit": PYTEST,
        "inspect": json.dumps(INSPECT),
        "promptfoo": json.dumps(PROMPTFOO),
        "csv": CSV,
        "otel": json.dumps(told_traces.otlp()),
    }
    for name in ("junit.xml", "promptfoo.json", "otel.json"):
        files[name] = (REPORTS / name).read_bytes()
    found = {}
    for name, content in files.items():
        path = folder / "results"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        format, results = read_results(SourceFile(path), ReadOptions())
        told = {field.name: getattr(results, field.name) for field in fields(results)}
        trials = [
            {
                key: sorted(value) if isinstance(value, frozenset) else value
                for field in fields(each)
                if (value := getattr(each, key := field.name)) != field.default
            }
            for each in results.trials
        ]
        found[name] = {"format": format, **told, "trials": trials}
    return json.loads(to_json(found))  # type: ignore[no-any-return]


def test_what_is_read_of_each_format_is_as_it_was(tmp_path: Path) -> None:
    """To write it anew: python -m tests.harness.foreign.test_readers"""
    found, golden = read_in_whole(tmp_path), json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert found.keys() == golden.keys()
    for name, told in found.items():
        assert told == golden[name], name


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        text = json.dumps(read_in_whole(Path(folder)), indent=1, ensure_ascii=False)
    GOLDEN.write_text(text + "\n", encoding="utf-8")
