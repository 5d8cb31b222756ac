from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks import check
from harness.model import Signals
from tests.harness.records import record, reply

WORDS = ("configur", "policy", "next")
LONG = "x" * 60


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (f"Reconfigured the POLICY. {LONG}", True),
        (f"The policy, and policies again. {LONG}", False),
        ("Next: configure the policy.", False),
        (f"policy next{'x' * 39}", True),
        (f"policy next{'x' * 38}", False),
        (f"policy next{'x' * 37}\U0001f600", True),
        ("", False),
    ],
    ids=["enough", "one word twice", "short", "just long", "just short", "two units", "empty"],
)
def test_an_answer_is_long_enough_and_has_enough_of_the_words(text: str, *, passes: bool) -> None:
    found = check(record(reply(text)), Signals(words=WORDS))
    assert (found.status == "pass") == passes
    assert found.reason.startswith("" if passes else "hardly an answer: ")


def test_a_structured_reply_is_an_answer() -> None:
    structured = record(reply("", metadata={"diagnosis": "x"}))
    assert check(structured, Signals(words=WORDS)).status == "pass"


def test_replies_to_several_turns_count_together() -> None:
    several = record(reply(f"The policy {LONG}"), reply("is next"))
    assert check(several, Signals(words=WORDS)).status == "pass"
    second = record(reply("x", turn=1), reply(f"The policy {LONG}", turn=2))
    assert check(second, Signals(words=WORDS, turn=2)).status == "fail"
    structured = record(reply("a", metadata={}), reply("b", metadata={}))
    assert check(structured, Signals(words=WORDS)).status == "fail"


def test_what_is_missing_is_said() -> None:
    found = check(record(reply("Next?")), Signals(words=WORDS))
    assert found.reason == (
        "hardly an answer: 5 characters, at least 50 wanted; 1 of the words that answers have, at"
        " least 2 wanted"
    )
    assert found.numbers["found"] == ["next"]


@pytest.mark.parametrize("wrong", [{"words": ()}, {"min_words": 0}, {"min_length": -1}])
def test_what_nothing_could_meet_or_fail_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Signals.model_validate({"words": WORDS, **wrong})


def test_without_a_reply_nothing_is_decided() -> None:
    assert check(record(), Signals(words=WORDS)).status == "not_evaluated"
