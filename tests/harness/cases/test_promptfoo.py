import json
from pathlib import Path
from typing import Any

import pytest

from harness.cases import read_suite
from harness.checks import check
from harness.errors import HarnessError
from harness.model import Budget, Json, Judge, Patterns, ReplySchema, TextMatches
from tests.harness.records import record

CONFIG: dict[str, Any] = {
    "description": "Weather",
    "prompts": ["What is the weather in {{city}}?"],
    "tests": [{"vars": {"city": "Bonn"}, "assert": [{"type": "contains", "value": "{{city}}"}]}],
}


def read(folder: Path, **changes: Json) -> Any:
    (folder / "promptfooconfig.yaml").write_text(json.dumps({**CONFIG, **changes}))
    return read_suite(folder)


def test_a_test_with_a_prompt_is_a_case(tmp_path: Path) -> None:
    suite = read(
        tmp_path,
        prompts=["In {{city}}?", {"raw": "And {{city}}?"}],
        defaultTest={"vars": {"unit": "C"}, "assert": [{"type": "latency", "threshold": 500}]},
        tests=[{"description": "Both", "vars": {"city": ["Bonn", "Ulm"]}}],
    )
    assert suite.format == "promptfoo"
    assert [(case.id, case.turns[0].user) for case in suite.cases] == [
        ("test-1-prompt-1", "In Bonn?"), ("test-1-prompt-2", "And Bonn?"),
        ("test-2-prompt-1", "In Ulm?"), ("test-2-prompt-2", "And Ulm?"),
    ]  # fmt: skip
    assert {case.title for case in suite.cases} == {"Both"}
    assert suite.cases[0].expect == (Budget(seconds=0.5),)
    assert suite.problems == ()


@pytest.mark.parametrize(
    ("written", "meets", "misses"),
    [
        ({"type": "equals", "value": "It is 9."}, ["It is 9.\n"], ["it is 9.", "It is 9"]),
        ({"type": "contains", "value": "a.b"}, ["xa.by"], ["xA.By", "acb"]),
        ({"type": "icontains", "value": "Bonn"}, ["in bonn"], ["in Ulm"]),
        ({"type": "contains-all", "value": ["a", "b"]}, ["b a"], ["a", "A b"]),
        ({"type": "contains-any", "value": ["a", "b"]}, ["b", "a"], ["c", "A"]),
        ({"type": "contains-any", "value": "a, b"}, ["b"], ["c"]),
        ({"type": "icontains-all", "value": ["a", "b"]}, ["B A"], ["A"]),
        ({"type": "icontains-any", "value": ["a", "b"]}, ["B"], ["c"]),
        ({"type": "starts-with", "value": "It"}, ["It is"], ["is It", "it"]),
        ({"type": "regex", "value": "[0-9]+ degrees"}, ["9 degrees"], ["9 Degrees", "degrees"]),
        ({"type": "not-icontains", "value": "sorry"}, ["fine"], ["I am Sorry"]),
        ({"type": "is-json", "value": {"type": "object", "required": ["a"]}}, ['{"a": 1}'], ['{}']),
        ({"type": "contains-json"}, ['{"a": 1}'], ["none"]),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)  # fmt: skip
def test_an_assertion_means_what_it_means_there(
    tmp_path: Path, written: dict[str, Json], meets: list[str], misses: list[str]
) -> None:
    (case,) = read(tmp_path, tests=[{"vars": {"city": "Bonn"}, "assert": [written]}]).cases
    found = {
        text: all(check(record(text), item).status == "pass" for item in case.expect)
        for text in (*meets, *misses)
    }
    assert found == {**dict.fromkeys(meets, True), **dict.fromkeys(misses, False)}


def test_costs_times_and_rubrics_are_imported(tmp_path: Path) -> None:
    written = [
        {"type": "cost", "threshold": 0.01},
        {"type": "assert-set", "assert": [{"type": "latency", "threshold": 1500}]},
        {"type": "llm-rubric", "value": "Names {{city}}"},
        {"type": "contains", "value": "a"},
        {"type": "icontains", "value": "b"},
    ]
    (case,) = read(tmp_path, tests=[{"vars": {"city": "Bonn"}, "assert": written}]).cases
    assert case.expect == (
        TextMatches(patterns=("(?-i:a)", "b")),
        Budget(cost_usd=0.01),
        Budget(seconds=1.5),
        Judge(question="Names Bonn"),
    )
    assert not any(isinstance(item, Patterns | ReplySchema) for item in case.expect)


GOOD = {"type": "contains", "value": "Bonn"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"type": "javascript", "value": "true"}, "an assertion 'javascript' is not importable"),
        ({"type": "not-contains", "value": "x"}, "an assertion 'not-contains' is not importable"),
        ({"type": "equals", "value": {"a": 1}}, "'equals' without a text is not importable"),
        ({"type": "contains", "value": "file://x.txt"}, "'contains' without a text"),
        ({"type": "latency"}, "'latency' without a threshold is not importable"),
        ({"type": "is-json", "value": "file://s.json"}, "'is-json' with a schema in a file"),
        ({"type": "contains", "value": "x", "transform": "f"}, "'contains' with a transform"),
        ({"type": "cost", "threshold": -1}, "'cost' is not importable: /cost_usd: must be"),
        ({"type": "assert-set", "threshold": 1, "assert": []}, "'assert-set' is not importable"),
        ("text", "an assertion '' is not importable"),
    ],
    ids=str,
)
def test_what_has_no_counterpart_is_named_and_left_out(
    tmp_path: Path, written: Json, said: str
) -> None:
    suite = read(tmp_path, tests=[{"vars": {"city": "Bonn"}, "assert": [GOOD, written]}])
    (warning,) = suite.warnings
    assert said in warning.message
    assert warning.where.endswith(("promptfooconfig.yaml:1", "promptfooconfig.yaml#"))
    assert len(suite.cases[0].expect) == 1


def test_providers_are_named_with_what_to_write(tmp_path: Path) -> None:
    providers = ["openai:chat:gpt-x", {"id": "exec: python a.py"}, {"https://h/x": {}}, "echo"]
    suite = read(tmp_path, providers=providers, scenarios=[])
    messages = {each.message: each.hint for each in suite.warnings}
    assert "'scenarios' is not imported" in messages
    (hint,) = filter(None, messages.values())
    assert "--agent model:openai/gpt-x" in hint
    assert '--agent "command:python a.py"' in hint
    assert '--agent "http:https://h/x"' in hint


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prompts": ["file://p.txt"]}, "the prompt is in a file"),
        ({"prompts": ['[{"role": "user"}]']}, "the prompt is a list of messages"),
        ({"prompts": [7]}, "expected the text of a prompt"),
        ({"prompts": ["{{town}}"]}, "the prompt has no value for {{town}}"),
        ({"prompts": ["{% if a %}"]}, "is read or computed by promptfoo"),
        ({"tests": "tests.csv"}, "the tests are in a file"),
        ({"tests": [7]}, "expected a mapping with vars and assert"),
        ({"defaultTest": "file://d.yaml"}, "expected a mapping, not a file"),
        ({"tests": [{"vars": {"city": "x"}, "assert": []}]}, "it would expect nothing"),
        ({"tests": []}, "holds no case"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_an_error(
    tmp_path: Path, changes: dict[str, Json], said: str
) -> None:
    assert any(said in each.message for each in read(tmp_path, **changes).errors)


def test_options_of_a_test_are_named(tmp_path: Path) -> None:
    test = {"vars": {"city": "x"}, "assert": [GOOD], "options": {"transform": "f"}}
    (warning,) = read(tmp_path, tests=[test]).warnings
    assert warning.message == "'options' of the test is not imported"


def test_a_file_may_be_named_and_must_be_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.small.yaml"
    path.write_text("[1]")
    assert "expected a mapping" in str(read_suite(path).errors[0])
    with pytest.raises(HarnessError, match="no cases in"):
        read_suite(tmp_path / "..")
