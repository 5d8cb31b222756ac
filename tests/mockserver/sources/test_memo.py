"""What was made of a value is found by the value's identity."""

from typing import Any

from mockserver.sources.memo import AnswerMemo, IdentityMemo


def test_the_very_same_value_is_found_and_an_equal_one_is_not() -> None:
    memo: IdentityMemo[str] = IdentityMemo(4)
    value = {"a": 1}
    memo.keep(value, "made")

    assert memo.get(value) == "made"
    assert memo.get({"a": 1}) is None


def test_the_oldest_leaves_first_and_no_more_than_the_limit_are_kept() -> None:
    memo: IdentityMemo[int] = IdentityMemo(2)
    values = [[number] for number in range(3)]
    for number, value in enumerate(values):
        assert memo.keep(value, number) == number

    assert [memo.get(value) for value in values] == [None, 1, 2]
    assert len(memo) == 2


ROWS = [{"n": 1}, {"n": 2}]


def test_an_answer_of_the_same_rows_is_found_and_one_of_equal_rows_is_not() -> None:
    memo: AnswerMemo[str] = AnswerMemo(4, 100)
    memo.keep({"items": ROWS, "nextPageToken": "a", "size": 2}, "made", 4)

    assert memo.get({"items": list(ROWS), "nextPageToken": "a", "size": 2}) == "made"
    assert memo.get({"items": [dict(row) for row in ROWS], "nextPageToken": "a", "size": 2}) is None
    assert memo.get({"items": ROWS[:1], "nextPageToken": "a", "size": 2}) is None
    assert memo.get({"items": ROWS, "nextPageToken": "b", "size": 2}) is None
    assert memo.get({"rows": ROWS, "nextPageToken": "a", "size": 2}) is None


def test_an_answer_holds_on_to_what_it_was_made_of() -> None:
    memo: AnswerMemo[str] = AnswerMemo(2, 100)
    made: Any = [{"n": number} for number in range(3)]
    for row in made:
        memo.keep({"items": [row]}, str(row["n"]), 1)

    assert [memo.get({"items": [row]}) for row in made] == [None, "1", "2"]
    assert len(memo) == 2


def test_what_is_kept_stays_within_its_budget() -> None:
    answers: AnswerMemo[str] = AnswerMemo(100, 80)
    values: IdentityMemo[str] = IdentityMemo(100, 80)
    rows = [{"n": number} for number in range(20)]
    for row in rows:
        for _ in range(2):
            assert answers.keep({"items": [row]}, "made", 10) == "made"
            assert values.keep(row, "made", 10) == "made"
    found = [values.get(row) for row in rows]
    assert [answers.get({"items": [row]}) for row in rows] == found
    assert found == [None] * 12 + ["made"] * 8
    assert answers.keep({"items": []}, "large", 11) == values.keep(found, "large", 11) == "large"
    assert answers.get({"items": []}) is values.get(found) is None
