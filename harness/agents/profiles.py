"""What HTTP agents are sent and how their replies are read: one profile for each kind of server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from harness.agents.adk_events import AdkEvents, read_events
from harness.agents.chat_completions import ChatChunks, read_completion
from harness.agents.protocol import Task
from harness.agents.replies import read_reply
from harness.agents.ui_stream import UiStream
from harness.model import Json, JsonObject, Reply

Messages = list[dict[str, str]]

COMPLETIONS = "/chat/completions"
RUN = "/run_sse"


class Stream(Protocol):
    """Puts the events of a stream together into one reply."""

    def take(self, line: int, data: str) -> None:
        """Take the data of one event, and the line it stands on."""
        ...

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """The reply that the events add up to."""
        ...


class ReplyReader(Protocol):
    """Makes a reply of a JSON body."""

    def __call__(self, value: Json, *, turn: int, prompt: str) -> Reply:
        """The reply."""
        ...


@dataclass(frozen=True)
class Profile:
    """A kind of server.

    Attributes:
        url: Where a turn is posted to.
        body: The body of a turn: the task, the conversation so far, the id of the chat.
        read: Reads a JSON reply.
        stream: Reads a stream of events.
    """

    url: str
    body: Callable[[Task, Messages, str], JsonObject]
    read: ReplyReader
    stream: Callable[[], Stream]


def json_body(task: Task, messages: Messages, _chat: str) -> JsonObject:
    """The body of profile `json`: `messages` of `role` and `content`."""
    return {"messages": messages, **_fixtures_of(task)}


def ai_sdk_body(task: Task, messages: Messages, _chat: str) -> JsonObject:
    """The body of profile `ai-sdk`: a chat id, and messages with `parts` beside their `content`."""
    chat = task.session or task.case.id
    said = [
        {"id": f"{chat}-{place}", "parts": [{"type": "text", "text": message["content"]}]} | message
        for place, message in enumerate(messages)
    ]
    return {"id": chat, "messages": said, **_fixtures_of(task)}


def _fixtures_of(task: Task) -> JsonObject:
    return {} if task.fixtures is None else {"fixtures": task.fixtures}


def _ai_sdk(url: str) -> Profile:
    return Profile(url, ai_sdk_body, read_reply, UiStream)


def _json(url: str) -> Profile:
    return Profile(url, json_body, read_reply, UiStream)


def _openai(url: str) -> Profile:
    url, model = without_parameter(url, "model")

    def body(task: Task, messages: Messages, _chat: str) -> JsonObject:
        return {
            "model": model or "agent",
            "messages": messages,
            "stream": True,
            **_fixtures_of(task),
        }

    default = COMPLETIONS if urlsplit(url).path.strip("/") else f"/v1{COMPLETIONS}"
    return Profile(with_path(url, default, COMPLETIONS), body, read_completion, ChatChunks)


def _adk(url: str) -> Profile:
    url, app = without_parameter(url, "app")

    def body(_task: Task, messages: Messages, chat: str) -> JsonObject:
        named, _, session = chat.partition("/")
        said = {"role": "user", "parts": [{"text": messages[-1]["content"]}]}
        return {
            "appName": app or named,
            "userId": ADK_USER,
            "sessionId": session,
            "newMessage": said,
            "streaming": False,
        }

    return Profile(with_path(url, RUN, "/run", RUN), body, read_events, AdkEvents)


ADK_USER = "harness"
"""The user whose sessions ADK agents are put through."""

PROFILES: Mapping[str, Callable[[str], Profile]] = {
    "ai-sdk": _ai_sdk,
    "json": _json,
    "openai": _openai,
    "adk": _adk,
}
"""Name to the profile of an agent at a URL."""


def without_parameter(url: str, name: str) -> tuple[str, str]:
    """A URL without one parameter of its query, and the parameter's value.

    >>> without_parameter("http://localhost:8000?app=sre&x=1", "app")
    ('http://localhost:8000?x=1', 'sre')
    """
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    found = next((value for key, value in query if key == name), "")
    rest = urlencode([(key, value) for key, value in query if key != name])
    return (urlunsplit(parts._replace(query=rest)) if found else url), found


def with_path(url: str, path: str, *known: str) -> str:
    """A URL whose path ends with one that the server knows, appended where there is none.

    >>> with_path("http://localhost:8000/", "/run_sse", "/run", "/run_sse")
    'http://localhost:8000/run_sse'
    """
    parts = urlsplit(url)
    base = parts.path.rstrip("/")
    return url if base.endswith(known) else urlunsplit(parts._replace(path=base + path))
