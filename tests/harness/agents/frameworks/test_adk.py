from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from harness.agents.frameworks.adk import connect, recognises
from tests.stand_ins import StandIn, said


class BaseAgent:
    pass


class App:
    name = "travel"


class Event:
    def __init__(self, text: str) -> None:
        self.text = text

    def model_dump(self, **how: Any) -> Any:
        assert how == {"mode": "json", "by_alias": True, "exclude_none": True}
        return {"content": {"parts": [{"text": self.text}]}}


class Runner:
    """What ADK's runner does, as far as the adapter sees it."""

    made: "list[Runner]" = []

    def __init__(self, agent: Any = None, *, app: Any = None, app_name: str = "") -> None:
        self.name = app.name if app else app_name
        self.session_service = self
        self.asked: list[Any] = []
        self.is_closed = False
        self.made.append(self)

    async def create_session(self, app_name: str, user_id: str) -> Any:
        assert (app_name, user_id) == (self.name, "harness")
        return SimpleNamespace(id="s1")

    async def run_async(
        self, user_id: str, session_id: str, new_message: Any
    ) -> AsyncIterator[Any]:
        text = new_message["parts"][0]["text"]
        self.asked.append((session_id, text))
        yield Event("One moment.")
        if text == "Break.":
            raise RuntimeError("no such model")
        yield Event("12 degrees.")

    async def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def adk(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runner, "made", [])
    stand_in("google.adk.agents", BaseAgent=BaseAgent)
    stand_in("google.adk.apps", App=App)
    stand_in("google.adk.runners", InMemoryRunner=Runner)
    stand_in("google.genai", types=SimpleNamespace(Content=dict, Part=dict))


@pytest.mark.parametrize("agent", [BaseAgent(), App()])
async def test_events_are_handed_over_as_they_are(agent: Any) -> None:
    converse = connect(agent)
    events = await converse(said("How warm is it?"), {})
    assert [each["content"]["parts"][0]["text"] for each in events] == [
        "One moment.",
        "12 degrees.",
    ]
    await converse(said("Thanks."), {})
    [runner] = Runner.made
    assert runner.asked == [("s1", "How warm is it?"), ("s1", "Thanks.")]
    await converse.aclose()
    assert runner.is_closed


async def test_what_was_done_before_an_error_is_handed_over() -> None:
    with pytest.raises(RuntimeError) as failed:
        await connect(BaseAgent())(said("Break."), {})
    assert len(failed.value.understudy_partial) == 1  # type: ignore[attr-defined]


def test_apps_are_agents_where_there_are_apps(stand_in: StandIn) -> None:
    assert recognises(BaseAgent())
    assert recognises(App())
    stand_in("google.adk.apps")
    assert not recognises(App())
