"""What a declared API keeps of its callers: how much they asked, and what they asked before."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from math import ceil

import orjson

from mockserver.declared.calls import Answer, DeclaredCall, Header
from mockserver.declared.declaration import Idempotency, RateLimit
from mockserver.declared.errors import refusal
from mockserver.declared.rows import silent_table
from mockserver.googleapi import ApiError
from mockserver.state import World, parse_rfc3339, rfc3339

_REMEMBERED = {"POST", "PATCH"}


def count_request(
    api: str, limit: RateLimit, world: World, who: str
) -> tuple[tuple[Header, ...], ApiError | None]:
    """Count a request against a limit.

    Args:
        api: The API's name.
        limit: The limit.
        world: The session's state and clock.
        who: Whose requests are counted together.

    Returns:
        The headers that tell what is left, and the refusal of a request too many.
    """
    table = silent_table(api, "limits")
    now, key = world.clock.now(), blake2b(who.encode(), digest_size=8).hexdigest()
    row = world.table(table).get(key)
    start = parse_rfc3339(row["start"]) if row is not None else now
    count = int(row["count"]) if row is not None else 0
    if now - start >= timedelta(seconds=limit.seconds) or now < start:
        start, count = now, 0
    count += 1
    world.keep(table, key, {"start": rfc3339(start), "count": count})
    left = max(limit.requests - count, 0)
    wait = ceil(max((start + timedelta(seconds=limit.seconds) - now).total_seconds(), 0.0))
    # the older headers tell the moment at which it begins anew, the newer ones how long that is
    reset = wait if limit.headers == "ratelimit" else int(now.timestamp()) + wait
    told = (("limit", limit.requests), ("remaining", left), ("reset", reset))
    named = tuple((f"{limit.headers}-{name}", str(value)) for name, value in told)
    headers: tuple[Header, ...] = () if limit.headers == "none" else named
    if count <= limit.requests:
        return headers, None
    error = refusal(limit.status, limit.message, reason="rate_limited",
                    headers={"Retry-After": str(max(wait, 1))})  # fmt: skip
    return headers, error


@dataclass(frozen=True, slots=True)
class Repeats:
    """Answers requests again that were answered before, by their idempotency key.

    Attributes:
        table: Where the answers are kept.
        rules: How requests are named.
    """

    table: str
    rules: Idempotency

    def _key(self, call: DeclaredCall) -> str:
        is_remembered = call.operation.verb in _REMEMBERED
        return call.headers.get(self.rules.header.lower(), "")[:1000] if is_remembered else ""

    def earlier(self, call: DeclaredCall) -> Answer | None:
        """The answer to the same request, or None for one that is new or has no key.

        Raises:
            ApiError: 422 or 409: another request had this key; 400: a creation has none.
        """
        key = self._key(call)
        header = self.rules.header
        if not key:
            if self.rules.required and call.operation.kind in {"create", "bulk"}:
                raise refusal(400, f"The header {header} is missing.")
            return None
        row = call.world.table(self.table).get(key)
        if row is None:
            return None
        if row["asked"] != _fingerprint(call):
            raise refusal(self.rules.conflict, f"The {header} was used for another request.",
                          reason="idempotency_key_reused")  # fmt: skip
        headers = tuple((str(name), str(value)) for name, value in row["headers"])
        return Answer(row["payload"], row["status"], (*headers, ("idempotent-replayed", "true")))

    def keep(self, call: DeclaredCall, answer: Answer) -> None:
        """Remember an answer under its request's key."""
        key = self._key(call)
        if key and answer.content is None:
            row = {
                "asked": _fingerprint(call),
                "status": answer.status,
                "payload": answer.payload,
                "headers": [list(each) for each in answer.headers],
            }
            call.world.put(self.table, key, row)


def _fingerprint(call: DeclaredCall) -> str:
    asked = [call.operation.id, list(call.captures), call.body]
    return blake2b(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
