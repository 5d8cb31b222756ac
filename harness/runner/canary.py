"""Canary questions: whether the mock server answers correctly, asked beside the trials of a run."""

from time import perf_counter
from typing import Literal

from harness.environment import session_id
from harness.errors import InfrastructureError
from harness.model import Canary, Json
from harness.runner.plan import timestamp
from harness.runner.trial import RunContext
from mockserver.model import SessionSpec

When = Literal["before", "middle", "after"]

_UNIT = {
    "name": "Canary",
    "orgUnitPath": "/Canary",
    "orgUnitId": "id:03ph8a2z1canary",
    "parentOrgUnitPath": "/",
}
_WORLD = {
    "capturedAt": "2026-11-01T00:00:00Z",
    "customer": {"id": "C0123abcd", "customerDomain": "example.com"},
    "orgUnits": [_UNIT],
}
_PATH = "admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits/Canary"


async def ask_canary(context: RunContext, when: When) -> Canary:
    """Open a session of a small world of its own, and ask for the one unit that it has."""
    at, start = timestamp(context.clock()), perf_counter()
    error, unanswered = await canary_error(context, when)
    took = (perf_counter() - start) * 1000
    return Canary(when=when, at=at, error=error, unanswered=unanswered, duration_ms=took)


async def canary_error(context: RunContext, name: str) -> tuple[str, bool]:
    """What is wrong with the mock server, or an empty string; and whether there was no answer."""
    import httpx

    spec = SessionSpec(
        id=session_id(context.run, f"canary-{name}", 1), base=False, overrides=(_WORLD,)
    )
    try:
        async with context.environment.session(spec) as session:
            headers = {"Authorization": f"Bearer {session.info.token}"}
            # reading the machine's authorities takes longer than a hundred trials
            verify = session.info.base_url.startswith("https:")
            async with httpx.AsyncClient(trust_env=False, timeout=10, verify=verify) as client:
                answer = await client.get(f"{session.info.base_url}/{_PATH}", headers=headers)
    except (InfrastructureError, httpx.HTTPError) as error:
        return str(error) or type(error).__name__, True
    fault = _canary_fault(answer.status_code, answer.content)
    if fault and answer.is_server_error:
        fault += context.environment.server_last_line()
    return fault, False


def _canary_fault(status: int, content: bytes) -> str:
    import orjson

    try:
        found: Json = orjson.loads(content)
    except ValueError:
        found = None
    if status == 200 and isinstance(found, dict) and _UNIT.items() <= found.items():
        return ""
    return f"the mock server answered {status} and not what it was given"
