import pytest
from pydantic import ValidationError

from harness.cases.grammar import Expect, expectations
from harness.model import Judge


def test_one_question_or_several_at_a_turn_or_of_all() -> None:
    one = Expect.model_validate({"judge": {"question": "q"}})
    assert expectations(one, 2) == (Judge(question="q", turn=2),)
    two = Expect.model_validate({"judge": [{"question": "q"}, {"question": "p"}]})
    assert [each.question for each in expectations(two) if isinstance(each, Judge)] == ["q", "p"]


def test_a_question_that_could_not_fail_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValidationError, match="no verdict would fail"):
        Expect.model_validate({"judge": {"question": "q", "accept": ["pass", "fail"]}})
