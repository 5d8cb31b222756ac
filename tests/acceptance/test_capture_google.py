"""Live Google APIs are captured by plan, and what was captured answers as they did.

The live API is our own server, met as the internet is: through the proxy, with the credentials of a
service account, by `understudy capture google` as a user runs it.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.cassettes.files import read_cassette
from mockserver.client import MockServer
from mockserver.model import Cassette, Interaction, Json, SessionInfo, SessionSpec
from mockserver.snapshots.resolver import SnapshotResolver
from tests.bundles import write_both
from tests.warm import run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOW = "2026-11-20T09:00:00.000Z"
KEY = "a key for tests"
FROZEN = SessionSpec(clock="frozen")
VOLATILE = frozenset({"etag", "nextPageToken"})
"""Made of the content anew, and tokens of a session."""

GIVEN = {"chrome-enterprise": [], "sre": ["--set", "project=shop-prod"]}
PROJECT = "projects/shop-prod"
OFFICE: dict[str, Any] = {
    "admin:directory_v1": {
        "roles": [{"roleId": "9", "roleName": "Help desk", "rolePrivileges": []}],
        "roleAssignments": [{"roleAssignmentId": "3", "roleId": "9", "assignedTo": "77"}],
        "schemas": [{"schemaId": "s1", "schemaName": "badge", "fields": []}],
        "chromeosdevices": [{"deviceId": "d1", "serialNumber": "5CD0000001"}],
        "mobiledevices": [{"resourceId": "m1", "deviceId": "a1", "type": "ANDROID"}],
        "buildings": [{"buildingId": "hq", "buildingName": "HQ", "floorNames": ["1"]}],
        "features": [{"name": "Whiteboard"}],
        "calendars": [{"resourceId": "r1", "resourceName": "Oak", "capacity": 4}],
    },
    "licensing:v1": {"licenseAssignments": [
        {"productId": "Google-Apps", "skuId": "1010020027", "userId": "ada@example.com"}]},
}  # fmt: skip
DATA: dict[str, Any] = {
    "storage:v1": {
        "buckets": [{"id": "exports", "name": "exports", "projectNumber": "415104041262"}],
        "objects": [{"bucket": "exports", "name": "2026/orders.csv", "size": "12"}],
    },
    "pubsub:v1": {
        "topics": [{"name": f"{PROJECT}/topics/orders"}],
        "subscriptions": [
            {"name": f"{PROJECT}/subscriptions/bills", "topic": f"{PROJECT}/topics/orders"}
        ],
    },
    "bigquery:v2": {
        "datasets": [{"datasetReference": {"projectId": "shop-prod", "datasetId": "sales"}}],
        "tables": [{"tableReference": {
            "projectId": "shop-prod", "datasetId": "sales", "tableId": "orders"}}],
    },
    "firestore:v1": {"documents": [{
        "name": f"{PROJECT}/databases/(default)/documents/orders/o1",
        "fields": {"total": {"integerValue": "7"}},
        "createTime": "2026-11-01T00:00:00Z", "updateTime": "2026-11-01T00:00:00Z"}]},
    "secretmanager:v1": {
        "secrets": [{"name": f"{PROJECT}/secrets/api", "replication": {"automatic": {}}}],
        "versions": [{"name": f"{PROJECT}/secrets/api/versions/1", "state": "ENABLED"}],
    },
    "compute:v1": {
        "zones": [{"name": "europe-west1-b"}],
        "instances": [{"name": "web-1", "zone": "europe-west1-b", "status": "RUNNING"}],
        "networks": [{"name": "default"}],
        "firewalls": [{"name": "allow-ssh", "direction": "INGRESS"}],
    },
    "run:v2": {"services": [{"name": f"{PROJECT}/locations/us-central1/services/web"}]},
}  # fmt: skip
"""What the worlds of the plans of administrators and of cloud data hold beside the bundles."""

FURTHER: dict[str, tuple[str, list[str]]] = {
    "workspace": ("authorized_user", []),
    "administration": ("service_account", ["--set", "domain=example.com"]),
    "cloud-data": ("service_account", ["--set", "project=shop-prod", "--set",
                                       'collections=["orders"]']),
}  # fmt: skip


def further_world(name: str) -> SessionSpec:
    """The world that a plan is captured from."""
    if name == "workspace":
        layer = SnapshotResolver(ROOT / "fixtures" / name).merged_snapshot(SessionSpec())
        return SessionSpec(base=False, overrides=(layer,))
    return SessionSpec(overrides=({"resources": OFFICE if name == "administration" else DATA},))


PLANS = tuple(GIVEN)
CAPTURES = ("chrome-enterprise", pytest.param("sre", marks=pytest.mark.slow))
"""The second capture is of the same code with other methods, which their APIs' tests capture."""


class Live:
    """A server that stands in for Google, and what it takes to meet it."""

    def __init__(self, runner: asyncio.Runner, server: MockServer, folder: Path) -> None:
        self.runner = runner
        self.server = server
        self.folder = folder

    def open(self) -> SessionInfo:
        return self.runner.run(self.server.open(FROZEN))

    def environment(
        self, spec: SessionSpec = FROZEN, credentials: str = "service_account"
    ) -> dict[str, str]:
        """What `understudy env` says of a new session, over ours without proxies."""
        key = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        session = self.runner.run(self.server.open(spec)).id
        command = ["env", "--url", self.server.url, "--session", session, "--format", "json"]
        printed = mockserver(
            *command,
            *("--credentials", credentials, "--out", key),
            folder=self.folder,
            MOCKSERVER_TOKEN=self.server.token,
        )
        return {**json.loads(printed.stdout), "MOCKSERVER_REDACTION_KEY": KEY}


@dataclass
class Captured:
    """What a capture left in its folder."""

    folder: Path
    done: "subprocess.CompletedProcess[str]"

    @property
    def suite(self) -> Path:
        return self.folder / "suite"

    @cached_property
    def cassette(self) -> Cassette:
        return read_cassette(self.folder / "live.yaml")

    def collection(self, name: str) -> Any:
        path = self.suite / "base" / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8"))[name]


def mockserver(
    *arguments: object, folder: Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "COLUMNS": "200", **environment}
    finished = run("mockserver", *map(str, arguments), cwd=folder, env=environ)
    assert "Traceback" not in finished.stderr, finished.stderr
    return finished


def capture(live: Live, plan: Path, folder: Path, *options: str) -> Captured:
    arguments = ["capture", "google", "--plan", plan, "--cassette", "live.yaml", "--qps", "1000"]
    arguments += ["--set", f"now={NOW}", *options]
    return Captured(folder, mockserver(*arguments, folder=folder, **live.environment()))


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    suite = write_both(folder / "suite")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(suite, options=()))
        yield Live(runner, server, folder)
        runner.run(server.close())


@pytest.fixture(scope="module", params=CAPTURES)
def captured(
    request: pytest.FixtureRequest, live: Live, tmp_path_factory: pytest.TempPathFactory
) -> Captured:
    plan = ROOT / "cassettes" / "plans" / f"{request.param}.yaml"
    folder = tmp_path_factory.mktemp(request.param)
    found = capture(live, plan, folder, "--suite", "suite", *GIVEN[request.param])
    assert found.done.returncode == 0, found.done.stderr
    return found


def test_a_server_from_the_snapshot_answers_as_the_live_api_did(
    captured: Captured, live: Live
) -> None:
    """CEP-63, CEP-66: the snapshot is what the API was, but for what was redacted."""
    server = live.runner.run(MockServer.start(captured.suite))
    try:
        session = live.runner.run(server.open(FROZEN))
        with httpx.Client(trust_env=False) as client:
            differing = [
                one.request.url
                for one in captured.cassette.interactions
                if "pageToken=" not in one.request.url and not _alike(client, session, one)
            ]
    finally:
        live.runner.run(server.close())
    assert differing == []


def _alike(client: httpx.Client, session: SessionInfo, one: Interaction) -> bool:
    place = one.request.url.removeprefix("https://")
    answer = client.request(
        one.request.method,
        f"{session.base_url}/{place}",
        content=one.request.body,
        headers={"content-type": "application/json", "authorization": f"Bearer {session.token}"},
    )
    before = json.loads(one.response.body)
    same: bool = _settled(answer.json()) == _settled(before)
    return answer.status_code == one.response.status and same


def _settled(value: Json) -> Any:
    """An answer without what is made anew, and without an order: ids that sort it have changed."""
    if isinstance(value, dict):
        return {key: _settled(inner) for key, inner in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return sorted(map(_settled, value), key=lambda inner: json.dumps(inner, sort_keys=True))
    return value


def test_the_cassette_says_what_it_was_made_with(captured: Captured) -> None:
    info = captured.cassette.info
    assert info.recorded_at == NOW
    assert info.plan["name"] in PLANS
    assert info.revisions
    assert info.key_id
    assert all(one.method_id for one in captured.cassette.interactions)


@pytest.mark.parametrize("captured", ["chrome-enterprise"], indirect=True)
def test_a_second_capture_does_not_take_the_place_of_the_first(
    captured: Captured, live: Live
) -> None:
    plan = ROOT / "cassettes" / "plans" / "chrome-enterprise.yaml"
    again = capture(live, plan, captured.folder)
    assert again.done.returncode == 2
    assert "live.yaml is there already (--mode all records it anew" in again.done.stderr


@pytest.mark.parametrize("captured", ["chrome-enterprise"], indirect=True)
def test_everything_that_an_administrator_is_asked_about_is_captured(captured: Captured) -> None:
    """CEP-64: org units, policy schemas, Chrome reports and audit events."""
    assert len(captured.collection("orgUnits")) == 17
    assert len(captured.collection("policySchemas")) == 17
    assert len(captured.collection("policies")) == 29
    assert len(captured.collection("auditEvents")) == 87
    assert captured.collection("chromeReports")["browserVersions"]


@pytest.mark.parametrize("captured", ["chrome-enterprise"], indirect=True)
def test_customers_people_addresses_and_hashes_are_redacted_and_joins_stay(
    captured: Captured,
) -> None:
    """CEP-65: what is not of a reserved range is gone from everything that was written."""
    written = b"".join(path.read_bytes() for path in captured.folder.rglob("*") if path.is_file())
    said = (captured.done.stdout + captured.done.stderr).encode()
    for secret in (b"C03xq7b2k", b"Lindqvist", b"124062053255204345285", b"03ph8a2zu5louxq"):
        assert secret not in written.replace(b"\\n", b"")
        assert secret not in said
    units = {unit["orgUnitId"].removeprefix("id:") for unit in captured.collection("orgUnits")}
    targets = {
        policy["policyTargetKey"]["targetResource"] for policy in captured.collection("policies")
    }
    named = {target.partition("/")[2] for target in targets if target.startswith("orgunits/")}
    assert named <= units
    assert set(captured.collection("members")) <= {
        group["email"] for group in captured.collection("groups")
    }


@pytest.mark.parametrize("name", FURTHER)
def test_what_a_plan_captured_is_served_without_a_difference(
    live: Live, tmp_path: Path, name: str
) -> None:
    """Every answer, redacted, is in the suite that is learned from it, and given again."""
    kind, given = FURTHER[name]
    plan = ROOT / "cassettes" / "plans" / f"{name}.yaml"
    asked = ["capture", "google", "--plan", plan, "--cassette", "live.yaml", "--qps", "1000"]
    block = live.environment(further_world(name), kind)
    done = mockserver(*asked, "--suite", "suite", *given, folder=tmp_path, **block)
    assert (done.returncode, done.stderr) == (0, "")
    assert "left out" not in done.stdout
    verified = mockserver(
        "verify", "live.yaml", "--fixtures", "suite", "--min-agreement", "1", folder=tmp_path
    )
    assert verified.returncode == 0, verified.stdout
    served = json.loads((tmp_path / "suite" / "base" / "resources.json").read_bytes())["resources"]
    filled = [rows for several in served.values() for rows in several.values() if rows]
    assert len(filled) >= 8


FAILING = """\
version: 1
name: failing
calls:
  - {id: tenant, method: directory.customers.get, params: {customerKey: my_customer}}
  - {id: nobody, method: directory.users.get, params: {userKey: nobody@example.com}}
  - {id: units, method: directory.orgunits.list, params: {customerId: my_customer}}
"""


def test_a_failed_call_is_recorded_named_and_an_exit_code(live: Live, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(FAILING, encoding="utf-8")
    found = capture(live, plan, tmp_path, "--suite", "suite")
    assert found.done.returncode == 1
    assert "nobody: failed 404: Resource Not Found: userKey" in found.done.stderr
    assert "left out: directory.users.get was answered with 404" in found.done.stdout
    assert [one.response.status for one in found.cassette.interactions] == [200, 404, 200]
    assert sorted(path.stem for path in (found.suite / "base").iterdir()) == [
        "00-capture",
        "customer",
        "orgUnits",
    ]


def test_without_credentials_nothing_is_asked_and_it_is_said_what_to_do(
    live: Live, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(FAILING, encoding="utf-8")
    block = live.environment() | {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "none.json")}
    arguments = ("capture", "google", "--plan", plan, "--cassette", "live.yaml")
    done = mockserver(*arguments, folder=tmp_path, **block)
    assert done.returncode == 2
    assert "no credentials" in done.stderr
    assert "gcloud auth application-default login --scopes=" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["plan.yaml"]


@pytest.mark.parametrize("captured", ["chrome-enterprise"], indirect=True)
def test_a_capture_becomes_the_override_of_a_case_that_shows_what_it_should(
    captured: Captured, tmp_path: Path
) -> None:
    """CEP-67: capture, minimise, redact, save to overrides, and run to see that it triggers."""
    suite = tmp_path / "fixtures"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "base.json").write_text('{"orgUnits": []}', encoding="utf-8")
    arguments = ("snapshot", "minimise", captured.suite, "--base", suite, "--case", "EC-051")
    done = mockserver(*arguments, "--only", "orgUnits", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = mockserver("snapshot", "show", suite, "orgUnits", "--case", "EC-051", folder=tmp_path)
    assert json.loads(shown.stdout) == captured.collection("orgUnits")
