"""Agents of Google's ADK, and its apps. Its events are handed over as they are."""

from typing import Any

PACKAGE = "google-adk"
MODULES = ("google.adk.agents",)
WANTED = "agent of ADK (BaseAgent), nor an App"

_USER = "harness"
_NAME = "understudy"


def recognises(value: Any) -> bool:
    """Whether a value is an agent or an app."""
    from google.adk.agents import BaseAgent

    return isinstance(value, (BaseAgent, *_apps()))


def connect(agent: Any) -> Any:
    """The function that hands messages to an agent."""
    return _Conversation(agent)


def _apps() -> tuple[type, ...]:
    try:
        from google.adk.apps import App
    except ImportError:  # a version before there were apps
        return ()
    return (App,)


class _Conversation:
    def __init__(self, agent: Any) -> None:
        from google.adk.runners import InMemoryRunner

        is_app = isinstance(agent, _apps())
        self._app = agent.name if is_app else _NAME
        self._runner = (
            InMemoryRunner(app=agent) if is_app else InMemoryRunner(agent, app_name=_NAME)
        )
        self._session = ""

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> list[Any]:
        from google.genai import types

        if not self._session:
            session = await self._runner.session_service.create_session(
                app_name=self._app, user_id=_USER
            )
            self._session = session.id
        said = types.Content(role="user", parts=[types.Part(text=messages[-1]["content"])])
        events: list[Any] = []
        try:
            async for event in self._runner.run_async(
                user_id=_USER, session_id=self._session, new_message=said
            ):
                events.append(event.model_dump(mode="json", by_alias=True, exclude_none=True))
        except Exception as error:
            error.understudy_partial = events  # type: ignore[attr-defined]
            raise
        return events

    async def aclose(self) -> None:
        """Close the runner, with the connections of its toolsets."""
        await self._runner.close()
