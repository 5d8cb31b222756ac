import pytest
from pydantic import ValidationError

from harness.model import HeldRecords, Reply, RunResult, Usage, facts_of, pair_by_number
from mockserver.model import Journal
from tests.harness.records import call, entry, manifest, record, reply, trial

RECORDS = [record("b", case="C-2"), record("a", number=2), record("a"), record("a", case="gone")]


def test_records_stand_by_case_then_by_number() -> None:
    held = HeldRecords.of_cases(["C-1", "C-2"], RECORDS)
    assert [(each.case, each.number) for each in held] == [("C-1", 1), ("C-1", 2), ("C-2", 1)]
    assert [each.number for each in held.of("C-1")] == [1, 2]
    assert held.get("C-2", 1) is RECORDS[0]
    assert held.get("C-2", 2) is None
    assert repr(held) == "HeldRecords(3)"


def test_a_result_takes_records_as_they_are_and_holds_a_tuple() -> None:
    held = HeldRecords((RECORDS[2],))
    for given in (held, (RECORDS[2],)):
        result = RunResult(manifest=manifest(["C-1"]), cases=(), decisions=(), records=given)
        assert result.records == held


def test_the_figures_of_a_trial_are_those_of_its_record() -> None:
    made = record(
        reply("Yes,\n sir", call("a"), "b", usage=Usage(input_tokens=3), first_byte_ms=7.0),
        reply("", call("a"), turn=2, usage=Usage(output_tokens=4, cost_usd=0.5)),
        journal=Journal(entries=(entry("x"), entry("y", seq=2))),
        duration_ms=20.0,
        agent_ms=15.0,
    )
    facts = facts_of(made)
    assert (facts.duration_ms, facts.agent_ms, facts.first_byte_ms, facts.tools_ms) == (
        20,
        15,
        7,
        2,
    )
    assert (facts.tokens, facts.cost_usd, facts.tools) == (7, 0.5, ("a", "b", "a"))


def test_what_the_agent_does_not_say_is_unknown() -> None:
    facts = facts_of(record(outcome="agent_error"))
    assert (facts.tokens, facts.cost_usd, facts.first_byte_ms) == (None, None, None)


def test_answers_that_differ_in_space_and_case_are_the_same() -> None:
    one, other, third = (
        facts_of(record(Reply(turn=1, prompt="p", text=text))).answer
        for text in ("All  fine.\n", "all fine.", "all bad.")
    )
    assert one == other != third


@pytest.mark.parametrize(
    ("numbers", "others", "pairs"),
    [
        ([1, 2, 3], [1, 2, 3], [(1, 1), (2, 2), (3, 3)]),
        ([1, 3], [2, 3, 4], [(1, None), (3, 3)]),
        ([2], [], [(2, None)]),
        ([], [1], []),
    ],
)
def test_what_two_places_tell_is_paired_by_number(
    numbers: list[int], others: list[int], pairs: list[tuple[int, int | None]]
) -> None:
    found = pair_by_number(
        [trial("pass", each) for each in numbers], [record("a", number=each) for each in others]
    )
    assert [(one.number, other.number if other else None) for one, other in found] == pairs


@pytest.mark.parametrize("name", ["input_tokens", "output_tokens", "total_tokens"])
def test_tokens_are_counts_that_means_can_be_taken_of(name: str) -> None:
    assert getattr(Usage.model_validate({name: 2**53}), name) == 2**53
    with pytest.raises(ValidationError):
        Usage.model_validate({name: 10**400})
