from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from harness.cases.grammar import PatternsBlock, WrittenPattern
from harness.model import Patterns
from tests.casefiles import yaml_suite

PATTERN: TypeAdapter[str] = TypeAdapter(WrittenPattern)


@pytest.mark.parametrize("written", ["regex:a+", "contains:a", "not_contains:a", "a", "a: b"])
def test_a_sound_pattern_stays_as_it_is_written(written: str) -> None:
    assert PATTERN.validate_python(written) == written


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("regex:(?<!a)*", "matches every output"),
        ("regex:(", "is not a regular expression: missing )"),
        ("regex:a*", "matches every output"),
        ("not_contains:", "nothing to look for"),
    ],
)
def test_a_pattern_that_decides_nothing_is_refused(written: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said.replace(")", "\\)")):
        PATTERN.validate_python(written)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one", Patterns(patterns=("one",))),
        ("[one, 'regex:t.o']", Patterns(patterns=("one", "regex:t.o"))),
        (
            "{patterns: [one, two], match: any, required: false}",
            Patterns(patterns=("one", "two"), match="any", required=False),
        ),
        ("[]", Patterns()),
    ],
)
def test_patterns_are_written_in_yaml_too(tmp_path: Path, written: str, read: Patterns) -> None:
    text = f"id: A\ninput: Why?\nexpect: {{patterns: {written}, exit_code: 0}}\n"
    found = yaml_suite(tmp_path, text)
    assert found.errors == ()
    assert found.cases[0].expect[0] == read


@pytest.mark.parametrize(
    "block",
    [
        {"patterns": ["a", "not_contains:a"]},
        {"patterns": ["a", "not_contains:a"], "match": "any"},
    ],
    ids=str,
)
def test_patterns_that_clash_are_refused(block: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PatternsBlock.model_validate(block)


def test_a_native_case_has_a_workspace_required_tools_and_weights(tmp_path: Path) -> None:
    text = """\
id: A
input: Why?
required_tools: [run_command]
weights: {exit_code: 3}
fixtures: {workspace: {src/a.py: "x = 1"}}
expect: {exit_code: 3}
reference: {answer: So., exit_code: 3}
"""
    case = yaml_suite(tmp_path, text).cases[0]
    assert case.required_tools == ("run_command",)
    assert case.weights == {"exit_code": 3}
    assert case.fixtures.workspace == {"src/a.py": "x = 1"}
    assert case.reference[0].exit_code == 3
