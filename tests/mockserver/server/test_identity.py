"""What was made of a value is found by the value's identity."""

from mockserver.server.identity import IdentityMemo


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
