"""What a session remembers of conversations that a provider stores for its clients."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import orjson

from mockserver.model import JsonObject

T = TypeVar("T")

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


class _Latest(Generic[T]):
    """What was kept last, by ids, as much of it as there is room for.

    Args:
        most_bytes: The room, in bytes of JSON.
        least: How many stay in any case.
    """

    def __init__(self, most_bytes: int, least: int = 0) -> None:
        self._most_bytes, self._least = most_bytes, least
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._bytes = 0

    def find(self, id: str) -> T | None:
        """The one of an id."""
        found = self._kept.get(id)
        return found[0] if found else None

    def all(self) -> list[T]:
        """All of them, the one that changed last first."""
        return [value for value, _ in reversed(self._kept.values())]

    def put(self, id: str, value: T, size: int, *, more: bool = False) -> None:
        """Keep a value in the place of what its id named; `more` adds its size to what that had."""
        _, before = self._kept.pop(id, (None, 0))
        self._kept[id] = (value, size + before if more else size)
        self._bytes += size if more else size - before
        while self._bytes > self._most_bytes and len(self._kept) > self._least:
            self._bytes -= self._kept.popitem(last=False)[1][1]

    def forget(self, id: str) -> bool:
        """Forget one; whether it was there."""
        found = self._kept.pop(id, None)
        self._bytes -= found[1] if found else 0
        return found is not None


class Tasks(_Latest[JsonObject]):
    """The tasks of agents in a session."""

    def keep(self, task: JsonObject) -> None:
        """Remember a task in the place of what its `id` named before."""
        self.put(task["id"], task, _size((task,)))


class Conversations:
    """The responses and the conversations of a session, as many of the latest as there is room for.

    Attributes:
        tasks: The tasks of its agents.
        responses: By their ids; `keep_response` adds to them.
        begun: The conversations by their ids; `keep_conversation` and `say` add to them.

    Args:
        most_bytes: The room for the responses, for the conversations and for the tasks, in bytes of
            JSON.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self.tasks = Tasks(most_bytes)
        self.responses = _Latest[StoredResponse](most_bytes)
        self.begun = _Latest[Conversation](most_bytes, least=1)

    def keep_response(self, id: str, response: StoredResponse) -> None:
        """Remember a response, unless it alone is more than there is room for."""
        said = response.said
        size = said.size - (said.before.size if said.before else 0) + _size((response.body,))
        if max(said.size, size) <= self._most_bytes:
            self.responses.put(id, response, size)

    def keep_conversation(self, id: str, conversation: Conversation) -> None:
        """Remember a conversation that was begun."""
        self.begun.put(id, conversation, _size(conversation.items()))

    def say(self, id: str, items: tuple[JsonObject, ...]) -> Exchange:
        """Add what was said to a conversation, begun where it is not there; all that was said."""
        conversation = self.begun.find(id) or Conversation({"id": id})
        conversation.said = Exchange.after(conversation.said, items)
        self.begun.put(id, conversation, _size(items), more=True)
        return conversation.said


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
