import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from harness.model import Reply, SimulatedUser, UserLine, UserRecord
from harness.users import RecordedUser, ScriptedUser, UserPlayer

USER = SimulatedUser.model_validate({
    "reached": ["is refunded", {"regex": "mail|letter"}],
    "stop": "goodbye",
    "patience": 4,
    "replies": [
        {"agent": "order number", "say": "It is A1."},
        {"agent": {"regex": "sure\\?"}, "say": "Yes.", "times": 1},
        {"say": "Please go on."},
    ],
})  # fmt: skip


def answers(*texts: str) -> list[Reply]:
    return [Reply(turn=turn, prompt="p", text=text) for turn, text in enumerate(texts, start=1)]


def say(player: UserPlayer, *texts: str) -> str | None:
    return asyncio.run(player.reply_to(answers(*texts)))


@pytest.mark.parametrize(
    ("texts", "said", "ended"),
    [
        (["Your ORDER NUMBER, please?"], "It is A1.", None),
        (["Are you sure?"], "Yes.", None),
        (["Well."], "Please go on.", None),
        (["It is refunded.", "A mail follows."], None, "goal"),
        (["A letter follows; it is refunded."], None, "goal"),
        (["It is refunded."], "Please go on.", None),
        (["Goodbye then."], None, "stop"),
        (["Goodbye.", "Still here."], "Please go on.", None),
        (["a", "b", "c", "d"], None, "patience"),
    ],
)
def test_a_user_says_what_fits_or_ends(
    texts: list[str], said: str | None, ended: str | None
) -> None:
    player = ScriptedUser(USER)
    assert (say(player, *texts), player.ended) == (said, ended)


def test_a_reply_is_said_so_many_times_and_then_the_next_one() -> None:
    player = ScriptedUser(USER)
    assert [say(player, "sure?"), say(player, "sure?", "sure?")] == ["Yes.", "Please go on."]
    assert player.record.lines == (
        UserLine(turn=2, text="Yes.", by="replies[1]"),
        UserLine(turn=3, text="Please go on.", by="replies[2]"),
    )


def test_a_user_without_a_fitting_reply_falls_silent() -> None:
    player = ScriptedUser(SimulatedUser.model_validate({"replies": [{"agent": "x", "say": "y"}]}))
    assert (say(player, "z"), player.record.ended) == (None, "silent")


@pytest.mark.parametrize(
    ("then", "texts", "said", "ended"),
    [
        ("goal", ["hm"], "It is A1.", None),
        ("goal", ["hm", "it is refunded by mail"], None, "goal"),
        ("goal", ["hm", "hm"], None, "silent"),
        ("stop", ["hm", "hm"], None, "stop"),
    ],
)
def test_a_recorded_user_says_what_it_said(
    then: Any, texts: list[str], said: str | None, ended: str | None
) -> None:
    lines = (UserLine(turn=2, text="It is A1.", by="model"),)
    player = RecordedUser(USER, UserRecord(ended=then, lines=lines, model="openai:m"), "r1")
    assert (say(player, *texts), player.ended) == (said, ended)
    assert (player.record.model, player.record.recorded_in) == ("openai:m", "r1")


@pytest.mark.parametrize(
    ("user", "problem"),
    [
        ({}, "nothing to say"),
        ({"model": "openai:m", "replies": [{"say": "a"}]}, "needs a goal"),
        ({"replies": [{"say": " "}]}, "should match pattern"),
        ({"replies": [{"agent": {"regex": "("}, "say": "a"}]}, "not a regular expression"),
        ({"replies": [{"say": "a"}], "stop": " "}, "in every answer"),
        ({"replies": [{"say": "a"}], "patience": 0}, "greater than or equal to 1"),
    ],
)
def test_a_user_that_cannot_be_is_refused(user: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        SimulatedUser.model_validate(user)
