import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.dispatch import check
from harness.checks.reference import token_f1
from harness.model import Reference
from tests.harness.records import record


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("a b", "A, b!", 1.0, id="equal"),
        pytest.param("a b", "c d", 0.0, id="disjoint"),
        pytest.param("a a a", "a", 0.5, id="repeats-count"),
        pytest.param("", "", 0.0, id="nothing"),
        pytest.param("設定を確認", "設定の確認", 0.8, id="by-character"),
    ],
)
def test_similarity(one: str, other: str, expected: float) -> None:
    assert token_f1(one, other) == expected


def test_the_last_reply_is_compared() -> None:
    """CEPR-05: the reference response is used."""
    expectation = Reference(text="check the OU", min_similarity=0.5)
    assert check(record("Hm.", "Check the OU."), expectation).status == "pass"
    found = check(record("No idea."), expectation)
    assert found.reason == "similarity 0 with the reference, at least 0.5 expected"
    assert found.numbers == {"similarity": 0.0, "min_similarity": 0.5}
    assert check(record(), expectation).status == "not_evaluated"


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) == token_f1(other, one) <= 1
