import pytest
from pydantic import ValidationError

from harness.server.words import NewSuite, RagSaid


def test_names_are_in_camel_case_outside() -> None:
    said = RagSaid(queries=1, hit_at_1=1, recall=1, mrr=1)
    named = {"queries", "query", "retrievedCount", "hitAt1", "recall", "mrr"}
    assert set(said.model_dump(by_alias=True)) == named


def test_nothing_unknown_is_taken() -> None:
    with pytest.raises(ValidationError):
        NewSuite.model_validate({"name": "a", "tasks": [{}], "more": 1})
