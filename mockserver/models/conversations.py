"""What a session remembers of conversations that a provider stores for its clients."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from mockserver.model import JsonObject

MOST_BYTES = 16 * 1024 * 1024
"""What the responses, or the conversations, of one session may hold; the oldest are forgotten."""


class Exchange(NamedTuple):
    """What was said in one request and its answer.

    Attributes:
        before: What was said before, or None where the conversation began here.
        items: The items of the request and of the answer, as the provider writes them.
        size: Bytes of all items of the conversation, as JSON.
    """

    before: "Exchange | None"
    items: tuple[JsonObject, ...]
    size: int

    @classmethod
    def after(cls, before: "Exchange | None", items: tuple[JsonObject, ...]) -> "Exchange":
        """What was said after something else, or at the beginning."""
        return cls(before, items, _size(items) + (before.size if before else 0))

    def history(self) -> list[JsonObject]:
        """All items of the conversation, the first one first."""
        parts: list[tuple[JsonObject, ...]] = []
        each: Exchange | None = self
        while each is not None:
            parts.append(each.items)
            each = each.before
        return [item for part in reversed(parts) for item in part]


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response that can be read again and gone on from.

    Attributes:
        body: As it was answered.
        input: The items of its request.
        said: What was said up to its end.
    """

    body: JsonObject
    input: tuple[JsonObject, ...]
    said: Exchange


@dataclass(slots=True)
class Conversation:
    """A conversation that requests name by its id.

    Attributes:
        body: As it was answered when it was made.
        said: What was said so far, or None.
    """

    body: JsonObject
    said: Exchange | None = None

    def items(self) -> list[JsonObject]:
        """All items, the first one first."""
        return self.said.history() if self.said else []


class Tasks:
    """The tasks of agents in a session, as many of the latest as there is room for.

    Args:
        most_bytes: The room for them, in bytes of JSON.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._tasks: OrderedDict[str, tuple[JsonObject, int]] = OrderedDict()
        self._bytes = 0

    def find(self, id: str) -> JsonObject | None:
        """A task by its id."""
        found = self._tasks.get(id)
        return found[0] if found else None

    def all(self) -> list[JsonObject]:
        """All tasks, the one that changed last first."""
        return [task for task, _ in reversed(self._tasks.values())]

    def keep(self, task: JsonObject) -> None:
        """Remember a task in the place of what its `id` named before."""
        _, before = self._tasks.pop(task["id"], (None, 0))
        size = _size((task,))
        self._tasks[task["id"]] = (task, size)
        self._bytes += size - before
        while self._bytes > self._most_bytes:
            self._bytes -= self._tasks.popitem(last=False)[1][1]


class Conversations:
    """The responses and the conversations of a session, as many of the latest as there is room for.

    Attributes:
        tasks: The tasks of its agents.

    Args:
        most_bytes: The room for the responses, for the conversations and for the tasks, in bytes of
            JSON.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self.tasks = Tasks(most_bytes)
        self._responses: OrderedDict[str, tuple[StoredResponse, int]] = OrderedDict()
        self._conversations: OrderedDict[str, tuple[Conversation, int]] = OrderedDict()
        self._bytes = [0, 0]

    def response(self, id: str) -> StoredResponse | None:
        """A response by its id."""
        found = self._responses.get(id)
        return found[0] if found else None

    def conversation(self, id: str) -> Conversation | None:
        """A conversation by its id."""
        found = self._conversations.get(id)
        return found[0] if found else None

    def keep_response(self, id: str, response: StoredResponse) -> None:
        """Remember a response, unless it alone is more than there is room for."""
        said = response.said
        size = said.size - (said.before.size if said.before else 0) + _size((response.body,))
        if max(said.size, size) > self._most_bytes:
            return
        self._responses[id] = (response, size)
        self._bytes[0] += size
        while self._bytes[0] > self._most_bytes:
            self._bytes[0] -= self._responses.popitem(last=False)[1][1]

    def keep_conversation(self, id: str, conversation: Conversation) -> None:
        """Remember a conversation that was begun."""
        self._conversations[id] = (conversation, 0)
        self._grow(id, conversation.items())

    def say(self, id: str, items: tuple[JsonObject, ...]) -> Exchange:
        """Add what was said to a conversation that is there; all that was said in it."""
        conversation = self._conversations[id][0]
        conversation.said = Exchange.after(conversation.said, items)
        self._grow(id, items)
        return conversation.said

    def forget_response(self, id: str) -> bool:
        """Forget a response; whether it was there."""
        found = self._responses.pop(id, None)
        self._bytes[0] -= found[1] if found else 0
        return found is not None

    def forget_conversation(self, id: str) -> bool:
        """Forget a conversation; whether it was there."""
        found = self._conversations.pop(id, None)
        self._bytes[1] -= found[1] if found else 0
        return found is not None

    def _grow(self, id: str, items: tuple[JsonObject, ...] | list[JsonObject]) -> None:
        conversation, before = self._conversations[id]
        size = _size(items)
        self._conversations[id] = (conversation, before + size)
        self._conversations.move_to_end(id)
        self._bytes[1] += size
        while self._bytes[1] > self._most_bytes and len(self._conversations) > 1:
            self._bytes[1] -= self._conversations.popitem(last=False)[1][1]


def _size(items: tuple[JsonObject, ...] | list[JsonObject]) -> int:
    return sum(len(orjson.dumps(each)) for each in items)


def with_ids(items: tuple[JsonObject, ...], id: str) -> Iterator[JsonObject]:
    """Items, each with an id: its own, or one made of that of the response.

    Yields:
        Each item.
    """
    stem = id.partition("_")[2]
    for number, item in enumerate(items):
        yield {"id": f"msg_{stem[:44]}{number:04}", **item}
