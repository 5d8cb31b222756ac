from harness.doctor.bench import Outcome
from harness.doctor.findings import (
    answers,
    find_indistinct,
    find_not_reached,
    find_passed_on_nothing,
    find_unread_fixtures,
    find_vacuous,
    find_without_controls,
    sent_texts,
)
from harness.model import Case, ExpectedCall, TextContains, ToolCalls, TrialRecord
from harness.verdicts import decide_trial
from mockserver.model import Journal
from tests.harness.records import case, entry, record, reply

CASE = case(TextContains(needles=("a",)))


def seen(trial: TrialRecord, of: Case = CASE) -> Outcome:
    return Outcome(trial, decide_trial(of, trial))


def test_who_fails_is_no_finding() -> None:
    assert list(find_vacuous({"C-1": seen(record("b"))}, "says nothing")) == []


def test_a_skipped_trial_is_no_lost_one() -> None:
    assert (
        list(find_not_reached({"C-1": seen(record(outcome="skipped", error="no tools"))}, "x"))
        == []
    )
    (finding,) = find_not_reached({"C-1": seen(record(outcome="infra_error", error="gone"))}, "x")
    assert finding.message == "x: gone"


def test_only_what_tests_the_same_is_indistinct() -> None:
    confused = {"A": (("B",), 1), "C": ((), 3), "D": (("A", "B"), 2), "E": (("A", "B"), 3)}
    assert list(find_indistinct(confused, {})) == []
    (whole, twin) = find_indistinct({"A": (("B", "C", "D", "E"), 4)}, {"F": ["A", "B"]})
    assert (whole.level, twin.level, twin.case) == ("error", "warning", "F")
    assert whole.message == "each of 4 answers to other cases pass it, too: B, C, D and 1 more"
    assert twin.message == "expects the same in the same world as A, B: only the prompt differs"


def test_a_reference_that_asks_nothing_reads_nothing_and_is_not_blamed() -> None:
    silent = seen(record("a"))
    assert list(find_unread_fixtures({"C-1": silent}, {"C-1": silent})) == []
    asking = seen(record("a", journal=Journal(entries=(entry("x", response_ref="h"),))))
    assert len(list(find_unread_fixtures({"C-1": asking}, {"C-1": asking}))) == 1
    assert list(find_unread_fixtures({}, {"C-1": asking})) == []


def test_a_case_about_tools_of_the_agents_own_needs_no_world() -> None:
    tools = case(ToolCalls(calls=(ExpectedCall(name="clock"),)), id="C-1")
    words = case(TextContains(needles=("a",)), id="C-1")
    silent = seen(record(reply("a", "clock")), tools)
    asking = seen(
        record(reply("a", "clock"), journal=Journal(entries=(entry("x", response_ref="h"),))), tools
    )
    for asked, normal, told in (
        (tools, silent, 0), (tools, asking, 1), (words, silent, 1),
    ):  # fmt: skip
        found = find_passed_on_nothing({"C-1": silent}, {"C-1": normal}, [asked], "agent")
        assert len(list(found)) == told
    assert list(find_passed_on_nothing({}, {}, [tools], "agent")) == []


def test_a_changed_world_that_was_refused_says_why() -> None:
    lost = seen(record(outcome="infra_error", error="unknown status"))
    (finding,) = find_without_controls([CASE], [], {"C-1": lost})
    assert finding.message == "its changed world is refused: unknown status"
    assert list(find_without_controls([CASE], ["C-1"], {})) == []
    (other,) = find_without_controls([CASE], [], {})
    assert other.message.startswith("adds nothing")


def test_what_was_answered_is_told_in_order_and_as_one_text() -> None:
    entries = (
        entry("tools.lookUp", response_ref="h0"),
        entry("directory.users.list", seq=2, response_ref="h1"),
        entry("", seq=3, response_ref="h2", after_close=True),
    )
    trial = record(journal=Journal(entries=entries, bodies={"h0": '{"a": 1}'}))
    assert answers(trial) == ("h0", "h1")
    assert '{"a": 1}' in sent_texts(trial)
    assert "directory.users.list" in sent_texts(trial)
