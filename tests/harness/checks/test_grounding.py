from typing import Any

import pytest

from harness.checks.table import check
from harness.model import CheckResult, Grounding, TrialRecord
from mockserver.model import Journal
from tests.harness.records import entry, record, reply

BODY = '{"orgUnits": [{"orgUnitId": "id:03ph8a2z1x", "note": "ann\\u0040example.com"}]}'


def _trial(text: str, body: str = BODY, **facts: Any) -> TrialRecord:
    sent = entry("directory.orgunits.list", response_ref="r", response_bytes=len(body))
    journal = Journal(entries=(sent,), bodies={"r": body})
    return record(reply(text, prompt="Why is HD-17 open?"), session="s", journal=journal, **facts)


def _check(text: str, **rules: Any) -> CheckResult:
    return check(_trial(text), Grounding(**rules))


@pytest.mark.parametrize(
    ("text", "ungrounded"),
    [
        pytest.param("Unit 03PH8A2Z1X is Ann's (ann@example.com).", [], id="sent"),
        pytest.param("HD-17 is solved.", [], id="said-by-the-user"),
        pytest.param("Unit 03ph9999zz.", ["03ph9999zz"], id="invented"),
        pytest.param("Unit 03ph8a2z1.", ["03ph8a2z1"], id="only-a-part"),
        pytest.param("It works now.", [], id="nothing-quoted"),
    ],
)
def test_quotations_have_their_source_in_the_trial(text: str, ungrounded: list[str]) -> None:
    found = _check(text)
    assert found.numbers["ungrounded"] == ungrounded
    assert found.status == ("fail" if ungrounded else "pass")


def test_what_has_no_source_is_named() -> None:
    found = _check("See EX_1_A and bob@example.org.")
    assert found.reason == "no source in this trial has 'bob@example.org', 'EX_1_A'"


def test_a_structured_answer_is_held_to_the_same() -> None:
    trial = _trial("ok")
    told = trial.replies[0].model_copy(update={"metadata": {"unit": "03ph9999zz"}})
    assert check(trial.model_copy(update={"replies": (told,)}), Grounding()).status == "fail"


def test_some_quotations_need_no_source() -> None:
    assert _check("Use SAFE_MODE.", allow=("safe_*",)).status == "pass"
    assert _check("Use SAFE_MODE.", kinds=("email",)).status == "pass"
    assert _check("Build 4711.", patterns=(r"\b\d{4}\b",)).status == "fail"


def test_an_answer_may_have_to_quote_something() -> None:
    assert _check("It works.", min=1).reason == "0 quotations, at least 1 expected"
    assert _check("HD-17 works.", min=1).status == "pass"


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        pytest.param(record(), "the agent gave no reply to look at", id="no-reply"),
        pytest.param(_trial(" "), "the agent gave no reply to look at", id="blank"),
        pytest.param(record("HD-17"), "no mock session was open, so nothing was sent", id="alone"),
        pytest.param(
            record(
                "HD-17",
                session="s",
                journal=Journal(entries=(entry("a", response_ref="gone", response_bytes=9),)),
            ).model_copy(update={"replies": (reply("HD-18"),)}),
            "not all responses of the server were kept",
            id="evicted",
        ),
    ],
)
def test_without_facts_nothing_is_decided(trial: TrialRecord, reason: str) -> None:
    found = check(trial, Grounding())
    assert (found.status, found.reason) == ("not_evaluated", reason)


def test_a_broken_pattern_decides_nothing() -> None:
    assert "cannot be used" in _check("x", patterns=("(",)).reason


@pytest.mark.parametrize(
    "body", ["unit 03ph9999zz", "base64:MDNwaDk5OTl6eg=="], ids=["text", "bytes"]
)
def test_bodies_that_are_no_json_are_read_as_text(body: str) -> None:
    found = check(_trial("Unit 03ph9999zz.", body), Grounding())
    assert found.status == ("pass" if body.startswith("unit") else "fail")
