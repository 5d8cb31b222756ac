from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.grammar import ReplyBlock, RubricBlock, TextBlock


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"contains": []}, "at least 1 item"),
        ({"contains": ["  "]}, "'  ' is an empty needle"),
        ({"evidence": "--"}, "'--' is an empty needle"),
        ({"regex": "("}, r"'\(' is not a regular expression"),
        ({"regex": "(?=a"}, "is not a regular expression"),
        ({"regex": ".*"}, r"'\.\*' matches every reply, even an empty one"),
        ({"unless": ["not"]}, "'unless' does nothing without 'forbidden_evidence'"),
        ({"match": "any", "evidence": "a1"}, "'match' does nothing without"),
    ],
    ids=str,
)
def test_text_that_could_not_fail_is_refused(block: dict[str, Any], error: str) -> None:
    """An empty needle is an authoring error (pitfall of matching everything)."""
    with pytest.raises(ValidationError, match=error):
        TextBlock.model_validate(block)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (["diagnosis"], ("diagnosis",)),
        ({"type": "object"}, {"type": "object"}),
        ("python:app.models:Reply", "python:app.models:Reply"),
    ],
    ids=["fields", "schema", "model"],
)
def test_a_reply_is_built_of_fields_or_by_a_schema_or_by_a_model(written: Any, found: Any) -> None:
    """CEP-06, CEP-53."""
    assert ReplyBlock.model_validate({"schema": written}).schema_ == found


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ([], "at least 1 item"),
        ({}, "at least 1 item"),
        ({"type": "objekt"}, "not a JSON Schema"),
        ("app.models:Reply", "names no model: expected 'python:package.module:Model'"),
        (3, "valid tuple"),
    ],
    ids=str,
)
def test_another_schema_is_refused(written: Any, error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        ReplyBlock.model_validate({"schema": written})


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"min_score": 3, "criteria": ["a1"]}, "min_score 3 cannot be reached with 1 criteria"),
        ({"min_score": 0, "criteria": ["a1"]}, "greater than or equal to 1"),
        (
            {"min_score": 1, "criteria": ["a1"], "synonyms": {"b1": ["c1"]}},
            "synonyms for what is no criterion: b1",
        ),
    ],
    ids=["too high", "cannot fail", "idle synonyms"],
)
def test_a_rubric_that_decides_nothing_is_refused(block: dict[str, Any], error: str) -> None:
    """CEP-56: a gate that no score can fail, or none can pass, is a mistake."""
    with pytest.raises(ValidationError, match=error):
        RubricBlock.model_validate(block)


def test_a_synonym_may_be_one_phrase() -> None:
    """CEP-57, CEPR-08."""
    block = {"min_score": 1, "criteria": ["next"], "synonyms": {"next": "then"}}
    assert RubricBlock.model_validate(block).synonyms == {"next": ("then",)}
