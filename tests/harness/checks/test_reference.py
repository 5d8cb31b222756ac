import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks import quality
from harness.checks.quality import rouge_1, token_f1
from harness.checks.table import check
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


@pytest.mark.parametrize(
    ("said", "least", "status"),
    [
        pytest.param("a b c d e", 0.8, "pass", id="at-the-threshold"),
        pytest.param("a b c d e", 0.80004, "fail", id="not-rounded-up-to-it"),
        pytest.param("A, B. c! (d) e?", 0.8, "pass", id="signs-do-not-count"),
    ],
)
def test_a_threshold_is_held_to_the_digit(said: str, least: float, status: str) -> None:
    wanted = Reference(text="a b c d f", min_similarity=least, measure="rouge1")
    assert check(record(said), wanted).status == status


def test_a_similarity_below_the_threshold_is_not_shown_as_reaching_it() -> None:
    wanted = Reference(text="a b c", min_similarity=0.6667)
    found = check(record("a b d"), wanted)
    assert (found.status, found.reason.split()[1]) == ("fail", "0.6666666666666666")


def test_rouge_counts_stems_of_words_that_are_long_enough() -> None:
    assert rouge_1("pools exhausted", "pool exhausting") == 1
    assert rouge_1("ids", "id") == 0
    assert rouge_1("", "id") == 0


@pytest.mark.parametrize(
    ("reply", "reference"), [("ponies died", "pony dying"), ("skies cried", "sky crying")]
)
def test_stems_are_those_of_porter_as_nltk_extends_him(reply: str, reference: str) -> None:
    assert rouge_1(reply, reference) == 1


def test_without_the_extra_rouge_decides_nothing_and_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent() -> None:
        raise ModuleNotFoundError("No module named 'nltk'")

    monkeypatch.setattr(quality, "_stemmer", absent)
    found = check(record("many pools"), Reference(text="many pools", measure="rouge1"))
    assert found.status == "not_evaluated"
    assert "understudy[rouge]" in found.reason


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) == token_f1(other, one) <= 1
