"""What an operation of a declared API is handed, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mockserver.declared.routes import Operation
from mockserver.googleapi import ANONYMOUS, Call, Caller
from mockserver.googleapi.call import Invoke
from mockserver.model import Json, JsonObject
from mockserver.state import World

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that a request brings.

    Attributes:
        content: Its bytes.
        content_type: Their type, as sent.
        name: Its name, or an empty string.
    """

    content: bytes
    content_type: str = "application/octet-stream"
    name: str = ""


@dataclass(slots=True)
class DeclaredCall:
    """One call of an operation, whatever carried it.

    Attributes:
        operation: What is asked.
        captures: The values of the path's placeholders, in order.
        query: Parameters of the query, each with its values.
        body: The body: any JSON, or the fields of a form; None where there is none.
        world: The session's state, clock and ids.
        headers: Headers by lower-case name; empty for calls that no HTTP request carries.
        file: The file that it brings, or None.
        url: Where the caller reached the API, its base path included.
        caller: Who asks.
        invoke: Calls another method of the session.
        ignored: Names of parameters that were accepted and not used.
        may_make_up: Whether the answer may be made of the API's document alone.
        by_server: Gives the answer of the stub or batch that it is for; None without a server.
    """

    operation: Operation
    captures: tuple[str, ...]
    query: Mapping[str, Sequence[str]]
    body: Json
    world: World
    headers: Mapping[str, str] = field(default_factory=dict)
    file: SentFile | None = None
    url: str = ""
    caller: Caller = ANONYMOUS
    invoke: Invoke | None = None
    ignored: list[str] = field(default_factory=list)
    may_make_up: bool = True
    by_server: "Callable[[], Answer] | None" = None

    @property
    def params(self) -> JsonObject:
        """Placeholders and parameters by name; those sent several times as lists."""
        named = dict(zip(self.operation.placeholders, self.captures, strict=False))
        sent = {
            name: values[0] if len(values) == 1 else list(values)
            for name, values in self.query.items()
        }
        return {**sent, **named}

    def plain(self) -> Call:
        """The same call for a handler of the contract that all APIs share.

        A body that is no object is there under an empty name.
        """
        body = self.body if isinstance(self.body, dict) else {}
        if self.body is not None and not isinstance(self.body, dict):
            body = {"": self.body}
        return Call(
            self.operation.id,
            self.params,
            body,
            self.world,
            caller=self.caller,
            base_url=self.url,
            invoke=self.invoke,
            ignored=self.ignored,
        )


@dataclass(slots=True)
class Answer:
    """What an operation answers.

    Attributes:
        payload: JSON; None for no body.
        status: The HTTP status.
        headers: Further headers.
        content: A body that is no JSON, in place of `payload`.
        content_type: Its type.
        encoded: `payload` as bytes, where they are at hand.
    """

    payload: Json = None
    status: int = 200
    headers: tuple[Header, ...] = ()
    content: bytes | None = None
    content_type: str = ""
    encoded: bytes = b""
