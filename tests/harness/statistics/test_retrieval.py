import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics import Retrieval, retrieval_figures

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=8)
WANTED = st.sets(st.sampled_from("abcdefgh"), min_size=1)


def test_the_figures_are_means_over_queries() -> None:
    """CTXR-03: hit at one, recall, and mean reciprocal rank."""
    found = retrieval_figures(
        [
            Retrieval(["a", "b"], {"a"}),
            Retrieval(["x", "y", "b"], {"b", "c"}),
            Retrieval([], {"d"}),
        ]
    )
    assert found.queries == 3
    assert found.hit_at_1 == pytest.approx(1 / 3)
    assert found.recall == pytest.approx(1.5 / 3)
    assert found.mrr == pytest.approx((1 + 1 / 3) / 3)


def test_only_the_first_k_count_and_repeating_gains_nothing() -> None:
    query = Retrieval(["x", "x", "a", "b"], {"a", "b"})
    assert retrieval_figures([query]).mrr == 0.5
    assert retrieval_figures([query], k=2).recall == 0.5
    assert retrieval_figures([query], k=1).mrr == 0.0


@pytest.mark.parametrize(
    ("found", "k", "said"),
    [
        ([], None, "no queries"),
        ([Retrieval(["a"], set())], None, "nothing relevant"),
        ([Retrieval(["a"], {"a"})], 0, "k is 0"),
    ],
    ids=["no query", "nothing relevant", "k"],
)
def test_what_decides_nothing_is_refused(found: list[Retrieval], k: int | None, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        retrieval_figures(found, k=k)


@given(ids=IDS, wanted=WANTED)
def test_figures_stay_in_their_order_and_range(ids: list[str], wanted: set[str]) -> None:
    found = retrieval_figures([Retrieval(ids, wanted)])
    assert 0 <= found.hit_at_1 <= found.mrr <= 1
    assert 0 <= found.recall <= 1
    assert (found.mrr > 0) == (found.recall > 0)
