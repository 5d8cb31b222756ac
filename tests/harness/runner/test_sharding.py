import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.model import Case
from harness.runner import shard_of
from tests.harness.records import case

CASES = [case(id=f"C-{number}") for number in range(7)]


@given(st.integers(1, 12))
def test_all_shards_together_have_each_case_once(count: int) -> None:
    shards = [shard_of(CASES, f"{number}/{count}") for number in range(1, count + 1)]
    found = [one for shard in shards for one in shard]
    assert sorted(found, key=_id) == sorted(CASES, key=_id)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def _id(one: Case) -> str:
    return one.id


def test_no_shard_is_everything() -> None:
    assert shard_of(CASES, "") == tuple(CASES)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(HarnessError, match="--shard is"):
        shard_of(CASES, text)
