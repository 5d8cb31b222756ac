from typing import Any

from harness.model import Case, Fixtures, TrialRecord
from harness.verdicts.runs import Tapes
from mockserver.model import UnusedRecording
from tests.harness.records import case, record


def _case(*cassettes: str) -> Case:
    return case().model_copy(update={"fixtures": Fixtures(cassettes=cassettes)})


def _unused(tape: str, *numbers: int) -> tuple[UnusedRecording, ...]:
    return tuple(
        UnusedRecording(tape=tape, number=number, method="GET", url=f"https://a.example.com/{number}")
        for number in numbers
    )  # fmt: skip


def _trial(*unused: UnusedRecording, **facts: Any) -> TrialRecord:
    return record("a", unused=unused, **facts)


def test_a_recording_is_used_when_one_trial_has_asked_for_it() -> None:
    tapes = Tapes()
    tapes.note(_case("calls"), _trial(*_unused("calls.yaml", 1, 2, 3)))
    tapes.note(_case("calls", "more"), _trial(*_unused("calls.yaml", 2, 3), *_unused("more", 1)))
    tapes.note(_case("more"), _trial(*_unused("more", 1)))
    assert tapes.unused() == (
        "calls 2: GET https://a.example.com/2",
        "calls 3: GET https://a.example.com/3",
        "more 1: GET https://a.example.com/1",
    )


def test_a_trial_that_says_nothing_of_a_cassette_it_had_has_used_all_of_it() -> None:
    tapes = Tapes()
    tapes.note(_case("calls"), _trial(*_unused("calls.yaml", 1)))
    tapes.note(_case("calls"), _trial())
    assert tapes.unused() == ()


def test_trials_whose_agent_was_not_reached_say_nothing() -> None:
    tapes = Tapes()
    tapes.note(_case("calls"), _trial(*_unused("calls", 1), outcome="infra_error"))
    tapes.note(_case("calls"), _trial(*_unused("calls", 1), synthetic=True))
    tapes.note(_case(), _trial(*_unused("calls", 1)))
    assert tapes.unused() == ()
