"""Unchanged clients: each program runs on the environment block alone, and goes nowhere without.

The programs know nothing of this project; what they print is held against the bundled suites.
"""

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mockserver.model import JournalEntry
from tests.clients.conftest import Served
from tests.clients.running import PROGRAMS, command_of, missing, run, run_alone, why_not_alone
from tests.ports import free_port

pytestmark = pytest.mark.slow

OTHERS = {
    "adk_google_tools.py", "gam_day.py", "gam_day.txt", "google_cloud_clients.py",
    "installed_app.py", "langchain_google_tools.py", "node_google_clients.cjs",
    "node_sign_in.cjs", "traced_pydantic_ai.py",
}  # fmt: skip
"""Programs that other tests of this folder run."""

WITH_PACKAGES = "node_googleapis.cjs"
STATUSES = (400, 403, 404, 409, 412, 429, 500, 503, 401)
"""What each client is refused with; the last one for good, for clients then ask for a new token."""

OVER_GRPC = (
    "InvalidArgument PermissionDenied NotFound AlreadyExists FailedPrecondition ResourceExhausted"
    " InternalServerError ServiceUnavailable Unauthenticated"
)
GRPC_CODES = (400, 403, 404, 409, 400, 429, 500, 503, 401)
OVER_REST = (
    "BadRequest Forbidden NotFound Conflict PreconditionFailed TooManyRequests"
    " InternalServerError ServiceUnavailable Unauthorized"
)
IN_WORDS = (
    "INVALID_ARGUMENT PERMISSION_DENIED NOT_FOUND ALREADY_EXISTS FAILED_PRECONDITION"
    " RESOURCE_EXHAUSTED INTERNAL UNAVAILABLE UNAUTHENTICATED"
)


@dataclass(frozen=True)
class Client:
    """A program, the method it is refused, the errors it tells of, and what else it prints."""

    program: str
    method: str
    errors: str
    facts: Mapping[str, Any]
    codes: tuple[int, ...] = STATUSES

    @property
    def refusals(self) -> list[list[Any]]:
        names = self.errors.split()
        names = names * len(self.codes) if len(names) == 1 else names
        return [list(pair) for pair in zip(names, self.codes, strict=bool(self.errors))]


CLIENTS = (
    Client(
        "google_api_python_client.py",
        "directory.users.get",
        "HttpError",
        {
            "project": "shop-prod",
            "made": "/Night",
            "listed": True,
            "gone": [404, "Org unit not found"],
            "users": 25,
            "batch": ["/Finance", 404],
            "entries": 50,
        },
    ),
    Client(
        "authorized_session.py",
        "monitoring.projects.alertPolicies.list",
        IN_WORDS,
        {
            "entries": 8,
            "services": 4,
            "projects": ["shop-legacy", "shop-prod", "shop-staging"],
            "account": True,
        },
    ),
    Client("httpx_client.py", "", "", {"buckets": 3, "promql": "success"}),
    Client(
        "logging_client.py",
        "logging.projects.logs.delete",
        OVER_GRPC,
        {
            "written": ["deployed by hand"],
            "newest first": True,
            "entries": 10,
            "nanoseconds": True,
            "logs": 9,
            "descriptors": True,
        },
        GRPC_CODES,
    ),
    Client(
        "monitoring_client.py",
        "monitoring.projects.notificationChannels.list",
        OVER_GRPC,
        {
            "series": 3,
            "newest first": True,
            "descriptors": True,
            "policies": True,
            "objectives": True,
            "dashboard": ["Made by hand", True, "NotFound"],
        },
        GRPC_CODES,
    ),
    Client(
        "trace_client.py",
        "cloudtrace.projects.patchTraces",
        OVER_GRPC,
        {"traces": 5, "spans": True},
        GRPC_CODES,
    ),
    Client(
        "error_reporting_client.py",
        "clouderrorreporting.projects.deleteEvents",
        OVER_GRPC,
        {"groups": 3, "events": True, "name": True},
        GRPC_CODES,
    ),
    Client(
        "resource_manager_client.py",
        "cloudresourcemanager.folders.get",
        OVER_REST,
        {"found": True, "labels": {"env": "prod", "team": "shop", "tier": "gold"}},
    ),
    Client(
        "curl.sh",
        "cloudresourcemanager.folders.get",
        "curl",
        {"made": {"orgUnitPath": "/Night"}, "deleted": 204},
    ),
    Client(
        WITH_PACKAGES,
        "directory.users.signOut",
        "GaxiosError",
        {"made": "/Night", "gone": ["GaxiosError", 404], "resolved": 1, "listed": 3},
    ),
    Client(
        "node_fetch.mjs",
        "cloudresourcemanager.folders.get",
        IN_WORDS,
        {"deleted": 1, "expires": True},
    ),
)


def faults(client: Client) -> list[dict[str, Any]]:
    """The refusals, one after the other."""
    if not client.method:
        return []
    once = [{"method": client.method, "status": status, "times": 1} for status in STATUSES[:-1]]
    return [*once, {"method": client.method, "status": STATUSES[-1], "times": "always"}]


def more_of(client: Client, request: pytest.FixtureRequest) -> dict[str, str]:
    """Where a program finds its packages; skips one that cannot be run here."""
    why = missing(client.program)
    if why:
        pytest.skip(why)
    if client.program != WITH_PACKAGES:
        return {}
    return {"NODE_PATH": request.getfixturevalue("googleapis")}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.program)
def test_a_client_works_on_the_environment_block_alone(
    client: Client, served: Served, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """SRER-09: no agent needs a mode for being evaluated."""
    more = more_of(client, request)
    session = served.open(faults=faults(client))
    expected = client.refusals
    command = command_of(client.program, len(expected))
    # Node drops the path of a metadata server, so its credentials are a file
    file = ("--credentials", "service_account", "--out", str(tmp_path / "account.json"))
    block = served.block(session, *(file if client.program == WITH_PACKAGES else ()))
    told = run(command, {**block, **more}, tmp_path).facts
    assert told.pop("refusals", []) == expected
    assert told == client.facts
    assert refused(served.journal(session).entries) == []


def refused(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Connections that led nowhere; not those that a program gave up as it ended."""
    reached = {entry.host for entry in entries if entry.http_method != "CONNECT"}
    return [one for one in entries if one.http_method == "CONNECT" and one.host not in reached]


def available(request: pytest.FixtureRequest) -> dict[str, dict[str, str]]:
    """The programs that can be run here, and where they find their packages."""
    found = {}
    for client in CLIENTS:
        with contextlib.suppress(pytest.skip.Exception):
            found[client.program] = more_of(client, request)
    return found


@pytest.mark.slow  # every program at once, each retrying what does not answer
def test_no_client_goes_elsewhere_when_the_server_is_away(
    served: Served, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    session = served.open()
    block = {name: _nobody(value) for name, value in session.env.items()}
    programs = {
        name: (command_of(name, 0), {**block, **more}) for name, more in available(request).items()
    }
    for name, finished in run_alone(programs, tmp_path).items():
        assert finished.status not in {0, 127}, name
        assert (name, finished.looked_up) == (name, ())
    assert not served.journal(session).entries


def _nobody(value: str) -> str:
    """The same with a port at which nobody listens."""
    return re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{free_port()}", value)


def test_no_client_reaches_anybody_without_interception(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if why_not_alone():
        pytest.skip(why_not_alone())
    block = {"GOOGLE_OAUTH_ACCESS_TOKEN": "ya29.none", "GCE_METADATA_DETECT_RETRIES": "1"}
    programs = {
        name: (command_of(name, 0), {**block, **more}) for name, more in available(request).items()
    }
    for name, finished in run_alone(programs, tmp_path).items():
        assert finished.status not in {0, 127}, name
        googles = (".googleapis.com", ".google.internal", ".google.internal.")
        assert [each for each in finished.looked_up if not each.endswith(googles)] == []


def test_every_program_is_run() -> None:
    files = {path.name for path in PROGRAMS.iterdir() if path.is_file()}
    assert files == {client.program for client in CLIENTS} | OTHERS


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.program)
def test_no_program_knows_what_answers_it(client: Client) -> None:
    text = (PROGRAMS / client.program).read_text(encoding="utf-8")
    known = r"mock|understudy|localhost|127\.0|proxy|endpoint|emulat|SSL_|CA_"
    assert re.findall(known, text, re.IGNORECASE) == []
