"""Requests of `batchUpdate` methods: all of them, in their order, or none."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TypeVar

from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError, invalid
from mockserver.googleapi.masks import EVERY
from mockserver.model import JsonMapping, JsonObject

T = TypeVar("T")


def apply_requests(
    call: Call,
    kinds: Mapping[str, Callable[[T, JsonObject], JsonObject | None]],
    subject: T,
    check: Callable[[], None] = lambda: None,
) -> list[JsonObject]:
    """Apply the requests of a call's body to what it is about; their replies.

    Args:
        call: The call.
        kinds: What each kind of request does to the subject, and replies.
        subject: A document, as it is being changed.
        check: Refuses a subject that cannot be, after each request.

    Raises:
        ApiError: 400 for a request that does not fit, 501 for a kind that is not emulated.
    """
    replies: list[JsonObject] = []
    for number, request in enumerate(call.body.get("requests") or ()):
        for kind, asked in request.items():
            if kind not in kinds:
                text = (
                    f"the request {kind!r} of {call.id} is not emulated; those that are:"
                    f" {', '.join(sorted(kinds))}"
                )
                raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
            try:
                reply = kinds[kind](subject, asked or {})
                check()
            except ApiError as error:
                if error.status == 400:
                    error.message = f"Invalid requests[{number}].{kind}: {error.message}"
                raise
            replies.append({} if reply is None else {kind: reply})
    return replies


def with_masked_fields(before: JsonMapping, given: JsonMapping, mask: object) -> JsonObject:
    """An object with the fields of a mask set, or, where they are not given, gone.

    Raises:
        ApiError: 400; there is no mask.
    """
    fields = [*given] if mask == EVERY else [each for each in str(mask or "").split(",") if each]
    if not fields and mask != EVERY:
        raise invalid("At least one field must be listed in the mask.")
    made = dict(deepcopy(before))
    for path in fields:
        *above, last = path.strip().split(".")
        source, target = given, made
        for name in above:
            source, target = source.get(name) or {}, target.setdefault(name, {})
        target.pop(last, None)
        if last in source:
            target[last] = deepcopy(source[last])
    return made
