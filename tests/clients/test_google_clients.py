"""Unchanged clients of APIs that no module emulates, on the plain environment block.

Each call gets what the snapshot holds, or a 501 that names what would answer it; none is refused at
the tunnel, and none waits for its deadline.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockserver.client import MockServer
from mockserver.model import JsonObject
from tests.clients.conftest import Served
from tests.clients.node import CLOUD, modules_of
from tests.clients.packages import packages_of_google
from tests.clients.running import PROGRAMS, Finished, missing, run

pytestmark = pytest.mark.slow  # installs the clients' packages, and each program loads them anew

ROOT = "projects/p/databases/(default)/documents"
SECRET = "projects/p/secrets/s1"
SNAPSHOT: JsonObject = {
    "resources": {
        "storage:v1": {"buckets": [{"name": "b1"}], "objects": []},
        "pubsub:v1": {
            "topics": [{"name": "projects/p/topics/t1"}],
            "subscriptions": [
                {"name": "projects/p/subscriptions/s1", "topic": "projects/p/topics/t1"}
            ],
        },
        "secretmanager:v1": {"secrets": [{"name": SECRET}]},
        "firestore:v1": {
            "databases": [
                {"name": "projects/p/databases/enterprise", "databaseEdition": "ENTERPRISE"}
            ],
            "documents": [
                {"name": f"{ROOT}/users/ann", "fields": {"age": {"integerValue": "1"}}}
            ],
        },
        "bigquery:v2": {
            "datasets": [{"datasetReference": {"projectId": "p", "datasetId": "d1"}}],
            "jobs": [
                {
                    "jobReference": {"projectId": "p", "jobId": "j1"},
                    "status": {"state": "DONE"},
                    "configuration": {"query": {"query": "select 2"}},
                }
            ],
        },
    },
    "http": [
        {
            "method": "GET",
            "url": f"secretmanager.googleapis.com/v1/{SECRET}/versions/1:access",
            "body": {"name": f"{SECRET}/versions/1", "payload": {"data": "b3Blbg=="}},
        },
    ],
}  # fmt: skip
FIXTURE = "A fixture that would"
HELD: dict[str, dict[str, Any]] = {
    "storage": {"list": ["b1"], "upload": None, "read": 5, "compose": None,
                "download": "hello", "copy": "y", "delete": None},
    "pubsub": {
        "list": ["projects/p/topics/t1"],
        "make": "projects/p/topics/mine",
        "subscribe": "projects/p/subscriptions/mine",
        "publish": "1000000000000000",
        "pull": ["hi"],
        "listen": "again",
    },
    "secretmanager": {
        "list": [SECRET], "make": "projects/p/secrets/mine", "access": "open",
        "add": f"{SECRET}/versions/1", "disable": "DISABLED",
    },
    "secretmanager over REST": {
        "list": [SECRET, "projects/p/secrets/mine"],
        "make": 409, "access": "open", "add": f"{SECRET}/versions/2", "disable": "DISABLED",
    },
    "firestore": {
        "list": ["ann"], "make": f"{ROOT}/users/mine", "get": {"age": 1}, "query": ["ann", "mine"],
        "set": 3, "transaction": 4, "older": ["bob"], "count": 1, "watch": ["bob"],
        "explain": 1, "pipeline": [{"next": 31, "tags": ["a", "b"]}],
        "batch": 2, "delete": False,
    },
    "bigquery": {
        "list": ["d1"], "make": "mine", "jobs": [["j1", "DONE"]], "job": "DONE",
        "query": [{"one": 1, "several": [2, 3]}], "table": "people", "insert": [], "load": "DONE",
        "change": [], "rows": [["ann", 30], ["bob", 41]], "sum": [{"years": 71}],
        "read": "\x02\x06bob", "routine": [{"eight": 8}],
    },
}  # fmt: skip
NODE: dict[str, dict[str, Any]] = {
    "node_sign_in.cjs": {
        "kind": "UserRefreshClient", "project": True, "buckets": ["b1"],
        "email": "admin@example.com", "refresh": True,
    },
    "node_google_clients.cjs": {
        "gmail send": True, "gmail get": "Lunch", "gmail list": 1, "gmail draft": ["SENT"],
        "gmail label": True,
        "calendar insert": True, "calendar list": ["Lunch"], "calendar patch": "Room 1",
        "calendar quickAdd": "Tea", "calendar freebusy": 1,
        "drive create": True, "drive get": "hello", "drive list": 1, "drive permission": "reader",
        "sheets append": [["5"]], "docs batchUpdate": "Hello\n", "docs export": "string",
        "people create": True, "people list": 1, "tasks insert": ["Shop"],
        "storage": "hello", "pubsub": "hi", "firestore": [4, 1, 1], "secret-manager": "open",
        "bigquery": [{"who": "ann", "next": 31}], "tasks": 1,
    },
}  # fmt: skip
"""What each program of Node's clients prints."""
SERVICE = Path(__file__).parents[2]
Serve = Callable[[], Served]


@pytest.fixture(scope="module")
def packages() -> str:
    """The folder of packages that has Google's clients."""
    found = packages_of_google()
    if isinstance(found, str):
        pytest.skip(found)
    return str(found)


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    suite = tmp_path_factory.mktemp("resources") / "suite"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "all.json").write_text(json.dumps(SNAPSHOT), encoding="utf-8")
    started = []
    with asyncio.Runner() as runner:

        def start() -> Served:
            started.append(runner.run(MockServer.start(suite, options=())))
            return Served(runner, started[-1])

        yield start
        for server in started:
            runner.run(server.close())


def asked(served: Served, program: str, packages: str, folder: Path) -> Finished:
    block = served.block(served.open())
    command = (sys.executable, "-W", "ignore", str(PROGRAMS / program))
    return run(command, {**block, "PYTHONPATH": f"{packages}:{SERVICE}"}, folder)


def is_as_told(found: list[Any], told: Any) -> bool:
    """Whether an outcome is this value, this status, or a 501 that says this."""
    if isinstance(told, str) and told == FIXTURE:
        return found[0] == 501 and told in found[1]
    return found[0] == told if told == 409 else found == ["ok", told]


def test_clients_get_what_is_held_or_what_would_be(
    serve: Serve, packages: str, tmp_path: Path
) -> None:
    facts = asked(serve(), "google_cloud_clients.py", packages, tmp_path).facts
    wrong = {
        f"{client} {call}": facts[client][call]
        for client, calls in HELD.items()
        for call, told in calls.items()
        if not is_as_told(facts[client][call], told)
    }
    assert wrong == {}


def test_a_person_signs_in_to_an_installed_application(
    serve: Serve, packages: str, tmp_path: Path
) -> None:
    facts = asked(serve(), "installed_app.py", packages, tmp_path).facts
    assert facts == {"email": "admin@example.com", "refreshed": True, "again": True}


@pytest.fixture(scope="module")
def node(serve: Serve, googleapis: str) -> tuple[Served, str]:
    """A server for Node's clients, and the folders of their modules."""
    cloud = modules_of(*CLOUD, optional=False)
    if isinstance(cloud, str):
        pytest.skip(cloud)
    return serve(), f"{googleapis}:{cloud}"


@pytest.mark.parametrize("program", NODE)
def test_node_s_clients_are_answered(
    program: str, node: tuple[Served, str], tmp_path: Path
) -> None:
    if why := missing(program):
        pytest.skip(why)
    served, modules = node
    block = {**served.block(served.open()), "NODE_PATH": modules}
    assert run(("node", str(PROGRAMS / program)), block, tmp_path).facts == NODE[program]
