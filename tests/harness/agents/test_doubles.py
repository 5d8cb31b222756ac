from collections.abc import Callable

import pytest

from harness.agents import AgentDriver, Echo, Null, Synthetic, Task, Transcript


@pytest.mark.parametrize(
    ("driver", "texts"),
    [
        pytest.param(Null(), ["", ""], id="null"),
        pytest.param(Echo(), ["First", "Second"], id="echo"),
    ],
)
async def test_a_double_answers_every_turn(
    driver: AgentDriver, texts: list[str], make_task: Callable[..., Task]
) -> None:
    transcript = Transcript()
    await driver.converse(make_task("First", "Second"), transcript)
    await driver.close()
    assert [reply.text for reply in transcript.replies] == texts
    assert [(attempt.turn, attempt.number) for attempt in transcript.attempts] == [(1, 1), (2, 1)]


async def test_a_synthetic_reply_says_that_it_is_one(make_task: Callable[..., Task]) -> None:
    """CEP-24."""
    transcript = Transcript()
    await Synthetic().converse(make_task("First"), transcript)
    await Synthetic().close()
    assert "no agent was asked" in transcript.replies[0].text
    assert transcript.replies[0].metadata is not None
