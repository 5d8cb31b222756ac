import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import FactTable, TrialFacts, facts, facts_by_case
from harness.model.facts import facts_of
from tests.harness.records import record

FLOATS = st.none() | st.floats(allow_nan=False)
FACTS = st.builds(
    TrialFacts,
    case=st.sampled_from(["A", "B"]),
    number=st.integers(1, 1 << 70),
    outcome=st.sampled_from(["replied", "infra_error"]),
    synthetic=st.booleans(),
    duration_ms=st.floats(allow_nan=False),
    agent_ms=st.just(1.5),
    first_byte_ms=FLOATS,
    tools_ms=st.just(0.0),
    turns=st.integers(0, 3),
    attempts=st.integers(0, 3),
    time_limit_ms=FLOATS,
    tokens=st.none() | st.integers(-5, 1 << 70),
    cost_usd=FLOATS,
    tools=st.sampled_from([(), ("a",), ("a", "b")]),
    answer=st.integers(0, 1 << 32),
    observations=st.none() | st.just(()),
    witnesses=st.sampled_from([None, "", "they differ"]),
    incomparable=st.sampled_from(["", "no rule"]),
)


@given(st.lists(FACTS, max_size=8))
def test_a_table_holds_what_was_put_into_it(held: list[TrialFacts]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(facts, "_BLOCK", 3)
        _check_table(held)


def _check_table(held: list[TrialFacts]) -> None:
    table = FactTable()
    for each in held:
        table.append(each)
    assert table == held
    assert [table[place] for place in range(len(held))] == held
    assert table[1:3] == tuple(held[1:3])
    assert (table == held[1:]) is (not held)
    for case in ("A", "B", "C"):
        one, other = facts_by_case(table), facts_by_case(held)
        assert [*one.of(case)] == [*other.of(case)] == [each for each in held if each.case == case]
        assert one.synthetic(case) == other.synthetic(case)


def test_figures_of_a_record_come_back_as_they_were() -> None:
    table = FactTable()
    table.append(facts_of(record("done", duration_ms=3)))
    assert [*table] == [facts_of(record("done", duration_ms=3))]
    assert repr(table) == "FactTable(1)"
