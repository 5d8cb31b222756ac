"""A gRPC request: who calls, by its metadata, and what is asked, as parameters of a method."""

from collections import OrderedDict
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.asgi.requests import Name, session_in_baggage
from mockserver.fronts.grpc.methods import KnownCall, PossibleMethod
from mockserver.googleapi import ApiError, bad_fields
from mockserver.model import Json, JsonObject, Miss
from mockserver.sources.bodies import MOST_VALUES
from mockserver.sources.dispatch import DecodedCall
from mockserver.state import session_of

Metadata = tuple[tuple[str, str | bytes], ...]
"""As gRPC hands it over: keys in lower case, values of `-bin` keys as bytes."""


class CallMetadata(NamedTuple):
    """What the metadata of one call says.

    Attributes:
        names: The sessions that `x-mock-session` and the token name.
        baggage: That of the baggage; what the connection named comes before it.
        token: The access token as sent, or an empty string.
        client: The caller's `x-goog-api-client`, else its `user-agent`.
        conversation: What the requests of a stream share; None for a call of one request.
    """

    names: tuple[Name, ...]
    baggage: tuple[Name, ...]
    token: str
    client: bytes
    conversation: dict[str, Any] | None = None


def call_metadata(metadata: Metadata) -> CallMetadata:
    """Read a call's metadata.

    >>> call_metadata((("authorization", "Bearer ya29.mock~s1~0"), ("user-agent", "x"))).names
    (('token', 's1'),)
    """
    sent = dict(metadata)
    authorization = _text(sent, "authorization")
    is_bearer = authorization[:7].lower() == "bearer "
    token = authorization[7:].strip() if is_bearer else ""
    client = _text(sent, "x-goog-api-client") or _text(sent, "user-agent")
    names: list[Name] = []
    if "x-mock-session" in sent:
        names.append(("header", _text(sent, "x-mock-session")))
    if (named := session_of(token)) is not None:
        names.append(("token", named))
    in_baggage = session_in_baggage(_text(sent, "baggage"))
    return CallMetadata(
        tuple(names),
        () if in_baggage is None else (("baggage", in_baggage),),
        token,
        client.encode("latin-1", "replace"),
    )


def _text(params: dict[str, str | bytes], key: str) -> str:
    value = params.get(key, "")
    return value if isinstance(value, str) else value.decode("latin-1")


_UNREADABLE = "Exception deserializing request!"
"""grpcio's own words."""

_KEPT = 1024
_LONGEST_KEPT = 1024
"""Longer requests are read anew each time, so that what is kept stays small."""


class _ParsedMessage(NamedTuple):
    """One message that was read."""

    meaning: PossibleMethod
    params: JsonObject
    body: JsonObject
    ignored: tuple[str, ...] = ()
    problem: ApiError | None = None


class RequestReader:
    """Reads requests; what was read once is kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[KnownCall, str, bytes], _ParsedMessage] = OrderedDict()

    def read(
        self, known: KnownCall, content: bytes, caller: CallMetadata, host: str
    ) -> tuple[PossibleMethod, DecodedCall]:
        """Read one request.

        Args:
            known: The call.
            content: The message as sent.
            caller: Who asks.
            host: The API that was asked before, or an empty string.
        """
        key = (known, host if known.is_shared else "", content)
        found = self._kept.get(key)
        if found is None:
            found = _read(known, content, host)
            if len(content) <= _LONGEST_KEPT and found.problem is None and _is_flat(found.body):
                if len(self._kept) >= _KEPT:
                    self._kept.popitem(last=False)
                self._kept[key] = found
        meaning, params, body, ignored, problem = found
        direct = DecodedCall(
            params, body, caller.token, caller.client, len(content), ignored, problem,
            caller.conversation,
        )  # fmt: skip
        return meaning, direct


def _holds_at_most(message: Any, most: int) -> bool:
    """Whether a message, and those in it, have at most so many values."""
    left, found = [message], 0
    while left and found <= most:
        for descriptor, value in left.pop().ListFields():
            kind, several = descriptor.message_type, descriptor.is_repeated
            found += len(value) if several else 1
            if kind is None or found > most:
                continue
            if kind.GetOptions().map_entry:
                left += [each for each in value.values() if hasattr(each, "ListFields")]
            else:
                left += value if several else [value]
    return found <= most


def _is_flat(body: JsonObject) -> bool:
    """Whether nothing in a body can be taken over by what a handler makes of it."""
    return not any(_holds_objects(value) for value in body.values())


def _holds_objects(value: Json) -> bool:
    items = value if isinstance(value, list) else (value,)
    return any(isinstance(item, (dict, list)) for item in items)


def _read(known: KnownCall, content: bytes, host: str) -> _ParsedMessage:
    first = known.meanings[0]
    try:
        message = known.request.FromString(content)
        if len(content) > _LONGEST_KEPT and not _holds_at_most(message, MOST_VALUES):
            text = f"Request payload holds more values than the limit: {MOST_VALUES}."
            return _ParsedMessage(first, {}, {}, problem=_refusal(400, text, "INVALID_ARGUMENT"))
        request = json_format.MessageToDict(message, descriptor_pool=message.DESCRIPTOR.file.pool)
    except DecodeError:
        return _ParsedMessage(first, {}, {}, problem=_refusal(500, _UNREADABLE, "INTERNAL"))
    except (TypeError, json_format.Error) as error:
        # an Any of a type that is not installed, a timestamp beyond the calendar
        text = f"Request contains an invalid argument: {error}"
        return _ParsedMessage(first, {}, {}, problem=_refusal(400, text, "INVALID_ARGUMENT"))
    meaning, misfit = known.meaning_of(request, host)
    params, body, ignored = meaning.transcoding.split(request)
    problem = _unknown_name(misfit, params) if misfit else None
    return _ParsedMessage(meaning, params, body, ignored, problem)


def _refusal(status: int, text: str, code: str) -> ApiError:
    return ApiError(status, text, code_name=code, miss=Miss(blame="agent_error", reason=text))


def _unknown_name(name: str, params: JsonObject) -> ApiError:
    """400: no resource of the method is named (text not verified against the live API)."""
    value = params.get(name, "")
    text = f"Invalid resource name '{value}'." if value else "Resource name is missing."
    error = bad_fields([(name, text)])
    error.miss = Miss(blame="agent_error", reason=f"{name}: {text}")
    return error
