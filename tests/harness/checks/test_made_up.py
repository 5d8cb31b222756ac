"""Checks that passed by answers which the server made up say so."""

import pytest

from harness.checks import check
from harness.checks.made_up import answered_requests, made_up_answers
from harness.model import (
    Evidence,
    Expectation,
    ExpectedRequest,
    Grounding,
    ServerRequests,
    TextContains,
    TrialRecord,
)
from mockserver.model import Journal, JournalEntry, Source
from tests.harness.records import entry, record, reply

SEARCH = "github.search/repos"
BODIES = {"b1": '{"items": [{"name": "Tetris", "code": "REPO_TOO_OLD"}]}'}


def searched(source: Source, *others: JournalEntry, text: str = "Tetris: REPO_TOO_OLD.") -> (
    TrialRecord
):  # fmt: skip
    """A trial whose agent searched, and says what it found."""
    found = entry(SEARCH, source=source, response_ref="b1", response_bytes=40)
    journal = Journal(entries=(found, *others), bodies=BODIES)
    return record(reply(text), session="s1", journal=journal)


def asked(method: str, **bounds: int) -> ServerRequests:
    return ServerRequests(requests=(ExpectedRequest(method=method, **bounds),))


@pytest.mark.parametrize(
    ("expectation", "note"),
    [
        (asked(SEARCH), f"passed only by answers that were made up: {SEARCH}"),
        (asked("github.*", min=0), ""),
        (asked("gitlab.*", min=0, max=0), ""),
        (Grounding(), f"passed only by answers that were made up: {SEARCH}"),
        (Grounding(allow=("REPO_*",)), ""),
        (Evidence(markers=("Tetris",)),
         f"only answers that were made up hold 'Tetris': {SEARCH}"),
        (TextContains(needles=("Tetris", "REPO_TOO_OLD")),
         f"only answers that were made up hold 'Tetris', 'REPO_TOO_OLD': {SEARCH}"),
        (Evidence(markers=("Tetris",), required=False),
         f"only answers that were made up hold 'Tetris': {SEARCH}"),
    ],
    ids=["a request", "any number", "none", "grounding", "allowed", "evidence", "texts",
         "not required"],
)  # fmt: skip
def test_a_pass_that_rests_on_what_was_made_up_says_so(expectation: Expectation, note: str) -> None:
    result = check(searched("synthesis"), expectation)
    assert (result.is_met, result.note) == (True, note)
    assert check(searched("state"), expectation).note == ""


def test_what_data_bear_as_well_rests_on_no_example() -> None:
    stored = entry(SEARCH, 2, response_ref="b1", response_bytes=40)
    made = searched("synthesis", stored)
    for each in (asked(SEARCH), Grounding(), Evidence(markers=("Tetris",))):
        assert check(made, each).note == ""
    assert check(made, asked(SEARCH, min=2)).note.startswith("passed only")
    prompted = made.model_copy(update={
        "journal": searched("synthesis").journal,
        "replies": (reply("Tetris", prompt="Find Tetris"),),
    })  # fmt: skip
    assert check(prompted, Evidence(markers=("Tetris",))).note == ""


def test_a_failure_has_no_note() -> None:
    result = check(searched("synthesis"), asked("github.repos/get"))
    assert (result.status, result.note) == ("fail", "")


def test_refusals_and_what_tools_asked_in_turn_are_no_answers_of_their_own() -> None:
    tool = entry("tools.search", 1, source="synthesis")
    inner = entry(SEARCH, 2, source="synthesis", parent=1)
    refused = entry(SEARCH, 3, source="synthesis", status=422)
    unnamed = entry("", 4, source="synthesis", path="/x")
    batch = entry("batch", 5)
    part = entry(SEARCH, 6, source="synthesis", parent=5)
    nobody = entry("", 7, source="none")
    entries = (tool, inner, refused, unnamed, batch, part, nobody)
    made = record("x", session="s1", journal=Journal(entries=entries))
    assert [each.seq for each in made_up_answers(made)] == [1, 4, 6]
    assert [each.seq for each in answered_requests(made)] == [1, 3, 4, 6]


def test_the_methods_that_bear_a_pass_are_named() -> None:
    others = [entry(f"github.m{number}", number, source="synthesis") for number in range(2, 6)]
    made = searched("synthesis", *others)
    assert check(made, asked(SEARCH)).note.endswith(f"made up: {SEARCH}")
    any_of_them = check(made, asked("github.*")).note
    assert any_of_them.endswith(f": {SEARCH}, github.m2, github.m3 and 2 more")
