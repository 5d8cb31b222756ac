"""What the wire format of a provider is made of."""

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import orjson

from mockserver.model import ERROR_STATUS, JsonObject
from mockserver.models.conversations import Conversations
from mockserver.models.messages import ModelReply, ModelRequest

if TYPE_CHECKING:
    from mockserver.models.agent_description import AgentDescription
    from mockserver.state import Ids

ERROR_MESSAGES: Mapping[str, str] = {
    "invalid_request": "The request is invalid.",
    "authentication": "The API key is invalid.",
    "permission": "The API key may not use this.",
    "not_found": "There is no such model.",
    "too_large": "The request is too large.",
    "rate_limit": "The rate limit is reached. Try again later.",
    "server_error": "An internal error occurred.",
    "overloaded": "The model is overloaded. Try again later.",
    "timeout": "The request timed out.",
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 24 * 60 * 60

Cut = Callable[[str], Sequence[str]]
"""Cuts a text into what single events of a stream hold."""


class NotFoundError(LookupError):
    """What a request names is not there.

    Attributes:
        kind: The kind of the error.
        message: What it says.
        status: The HTTP status.
    """

    def __init__(self, message: str, *, kind: str = "not_found", status: int = 404) -> None:
        super().__init__(message)
        self.kind, self.message, self.status = kind, message, status


class WrongFormatError(ValueError):
    """A request is not in the format of its provider; the message says where, and what it has."""


class Stamp:
    """The ids, the moment and the stored conversations of one reply, from its session.

    Attributes:
        seconds: The moment in whole seconds since 1970.
    """

    __slots__ = ("conversations", "ids", "now", "seconds")

    def __init__(self, ids: "Ids", now: datetime, conversations: Conversations) -> None:
        self.ids = ids
        self.now = now
        self.conversations = conversations
        since = now - _EPOCH  # `timestamp` takes twice as long
        self.seconds = since.days * _DAY_S + since.seconds


class Served(NamedTuple):
    """What a provider may say of the models and agents that are there.

    Attributes:
        names: The models that scripts name in full.
        agent: An agent by its name, with what it says of itself where it does; the first that says
            something for an empty name. None where there is none.
        url: Where the client reached the session.
        query: The parameters of the request.
    """

    names: Sequence[str]
    agent: "Callable[[str], tuple[str, AgentDescription | None] | None]"
    url: Callable[[], str]
    query: Mapping[str, str]


class Format(ABC):
    """How one operation is asked and answered.

    Attributes:
        conversation: The members of a request that make up the conversation, in order.
    """

    conversation: tuple[str, ...] = ()

    @abstractmethod
    def parse(self, body: JsonObject, operation: "Operation") -> ModelRequest:
        """The request of its JSON form.

        Raises:
            WrongFormatError: It is not in this format.
        """

    def with_history(self, body: JsonObject, stamp: Stamp) -> JsonObject:
        """A request with what was said before, where it names a conversation that is stored.

        Raises:
            NotFoundError: There is no such conversation.
        """
        return body


class ChatFormat(Format):
    """How a conversation is sent, and what comes next in it.

    Attributes:
        group: What faults call its operations, whatever the provider.
        stream_type: The media type of a streamed reply.
    """

    group: Literal["models.chat"] = "models.chat"
    stream_type: str = "text/event-stream; charset=utf-8"

    @abstractmethod
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """A reply in one piece, as JSON."""

    @abstractmethod
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> Iterable[bytes]:
        """A reply as the events of a stream."""

    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """What ends a stream that fails.

        Args:
            kind: The kind of the error.
            body: That of the provider's error of this kind.
            number: How many events came before.
        """
        return event(body)


class EmbeddingFormat(Format):
    """How texts are sent, and the vectors of them.

    Attributes:
        group: What faults call its operations, whatever the provider.
    """

    group: Literal["models.embeddings"] = "models.embeddings"

    @abstractmethod
    def embed(self, request: ModelRequest, vectors: Sequence[Sequence[float]]) -> JsonObject:
        """The vectors of the inputs, in their order."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a request asks of a provider.

    Attributes:
        id: What the journal calls it, `openai.chat.completions.create`.
        provider: Whose it is.
        format: How it is written; None where the answer is known without a request.
        model: The model that the path names, or an empty string.
        is_stream: Whether the path asks for a stream.
        conversation: The members of a request that make up the conversation, where no format
            says so.
        resource: The id of what the provider stores that the request names, or an empty string.
        is_call: Whether the body says what is asked: it is sent over JSON-RPC.
    """

    id: str
    provider: "Provider"
    format: ChatFormat | EmbeddingFormat | None = None
    model: str = ""
    is_stream: bool = False
    conversation: tuple[str, ...] = ()
    resource: str = ""
    is_call: bool = False

    @property
    def group(self) -> str:
        """What it is, whatever the provider: `models.chat`, `models.embeddings`, `models.info`."""
        return self.format.group if self.format else "models.info"


class Provider(ABC):
    """One provider of models: a module, and its line in `PROVIDERS`.

    Attributes:
        name: Its name, which also is its place below `/models/` in a session.
        hosts: Its host names; `*` stands for any characters.
        address: Where its API is for clients that are told nothing; empty where that depends.
        variables: Environment variables that lead its clients to a session, each with what follows
            `<session>/models/<name>`.
        keys: Environment variables in which its clients look for a key.
        call_prefix: What ids of tool calls begin with; empty where it has no ids.
        statuses: The HTTP status of each kind of error.
        methods: The ids of all of its operations.
    """

    name: str
    hosts: tuple[str, ...] = ()
    address: str = ""
    variables: Mapping[str, str] = {}
    keys: tuple[str, ...] = ()
    call_prefix: str = ""
    statuses: Mapping[str, int] = ERROR_STATUS
    methods: tuple[str, ...] = ()

    @abstractmethod
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask; None where the provider has no such operation here."""

    def for_query(self, operation: Operation, query: bytes) -> Operation:
        """The operation of a path that asks for a stream, once the query is known."""
        return operation

    def for_body(self, operation: Operation, body: JsonObject) -> Operation:
        """The operation, one that the body names, once the body is known."""
        return operation

    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """The answer to an operation without a format: the models that are there, and the like.

        Args:
            operation: The operation.
            served: The models and agents that are there.
            body: The request.
            stamp: Ids and moment.

        Raises:
            NotFoundError: What it names is not there.
            WrongFormatError: The request is not in the format of the provider.
        """
        raise NotFoundError(f"{self.name} answers no {operation.id}")

    def kind_of_status(self, status: int) -> str:
        """The kind of error that a status is here, or an empty string."""
        for statuses in (self.statuses, ERROR_STATUS):
            for kind, each in statuses.items():
                if each == status:
                    return kind
        return ""

    @abstractmethod
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """The headers and the body of an error.

        Args:
            status: The HTTP status.
            kind: One of `ERROR_STATUS`, or as given.
            message: What it says.
            stamp: Ids and moment.
            retry_after_s: When the caller may try again, or None where it is not told.
        """

    def error_of(
        self, operation: Operation, request: JsonObject, status: int, kind: str, body: JsonObject
    ) -> tuple[int, JsonObject]:
        """The status and the body of an error, as it answers one operation.

        Args:
            operation: The operation.
            request: Its request.
            status: The HTTP status.
            kind: The kind of the error.
            body: The body that `error` gives it.
        """
        return status, body


def retry_headers(retry_after_s: float | None) -> dict[str, str]:
    """The header that every HTTP client knows; none where nothing is told.

    >>> retry_headers(2.0)
    {'retry-after': '2'}
    """
    return {} if retry_after_s is None else {"retry-after": f"{retry_after_s:g}"}


def event(data: JsonObject | str, name: str = "") -> bytes:
    r"""A server-sent event.

    >>> event({"a": 1}, "ping")
    b'event: ping\ndata: {"a":1}\n\n'
    """
    text = data.encode() if isinstance(data, str) else orjson.dumps(data)
    head = b"event: " + name.encode() + b"\n" if name else b""
    return head + b"data: " + text + b"\n\n"


def join_texts(parts: Any) -> str:
    r"""The texts of content that is a text or a list of parts, a line each.

    >>> join_texts([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}])
    'a\nb'
    """
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return ""
    texts = (each.get("text") if isinstance(each, dict) else each for each in parts)
    return "\n".join(each for each in texts if isinstance(each, str))


def require_list(body: JsonObject, name: str) -> list[Any]:
    """A field that must be a list.

    Raises:
        WrongFormatError: It is missing, or something else.
    """
    value = body.get(name)
    if not isinstance(value, list):
        raise WrongFormatError(f"{name}: expected a list, got {kind_of(value)}")
    return value


def kind_of(value: Any) -> str:
    """What a JSON value is, for messages."""
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}
    return "nothing" if value is None else kinds.get(type(value), "a number")


def float32_bytes(vector: Sequence[float]) -> bytes:
    """A vector as little-endian 32-bit numbers."""
    return struct.pack(f"<{len(vector)}f", *vector)
