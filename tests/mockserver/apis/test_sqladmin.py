"""Instances of Cloud SQL as a client meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

ROOT = "https://sqladmin.googleapis.com/v1/projects/p"
DB = f"{ROOT}/instances/db"
NEW = {"name": "db", "databaseVersion": "POSTGRES_15", "settings": {"tier": "db-f1-micro"}}


def names(answer: Any) -> list[str]:
    return [each["name"] for each in answer.get("items", [])]


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker() as made:
        made("POST", f"{ROOT}/instances", NEW)
        yield made


def test_an_instance_comes_with_a_database_and_a_user(ask: Asker) -> None:
    found = ask("GET", DB)
    assert (found["state"], found["connectionName"]) == ("RUNNABLE", "p:us-central1:db")
    assert found["settings"]["availabilityType"] == "ZONAL"
    assert names(ask("GET", f"{DB}/databases")) == ["postgres"]
    assert names(ask("GET", f"{DB}/users")) == ["postgres"]
    mysql = {"name": "my", "settings": {"tier": "t"}, "rootPassword": "secret"}
    ask("POST", f"{ROOT}/instances", mysql)
    assert "rootPassword" not in ask("GET", f"{ROOT}/instances/my")
    assert "mysql" in names(ask("GET", f"{ROOT}/instances/my/databases"))


def test_nobody_reads_a_password(ask: Asker) -> None:
    ask("POST", f"{DB}/users", {"name": "ann", "password": "secret"})
    assert "password" not in ask("GET", f"{DB}/users/ann")
    done = ask("PUT", f"{DB}/users?name=ann", {"password": "other"})
    assert done["operationType"] == "UPDATE_USER"
    ask("DELETE", f"{DB}/users?name=ann")
    assert names(ask("GET", f"{DB}/users")) == ["postgres"]
    ask("DELETE", f"{DB}/users?name=ann", status=400)


def test_settings_are_merged_and_have_versions(ask: Asker) -> None:
    ask("PATCH", DB, {"settings": {"userLabels": {"a": "b"}, "settingsVersion": "1"}})
    settings = ask("GET", DB)["settings"]
    assert (settings["tier"], settings["settingsVersion"]) == ("db-f1-micro", "2")
    error = ask("PATCH", DB, {"settings": {"settingsVersion": "1"}}, 412)["error"]
    assert error["errors"][0]["reason"] == "staleData"


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("restart", {}, "RESTART"),
        ("failover", {}, "FAILOVER"),
        ("export", {"exportContext": {"uri": "gs://b/o"}}, "EXPORT"),
        ("import", {"importContext": {"uri": "gs://b/o"}}, "IMPORT"),
        ("clone", {"cloneContext": {"destinationInstanceName": "twin"}}, "CLONE"),
        ("backupRuns", {}, "BACKUP_VOLUME"),
        ("databases", {"name": "app"}, "CREATE_DATABASE"),
        ("users", {"name": "ann"}, "CREATE_USER"),
    ],
)
def test_what_is_done_is_an_operation_on_the_instance(
    ask: Asker, path: str, body: Any, kind: str
) -> None:
    done = ask("POST", f"{DB}/{path}", body)
    assert done["operationType"] == kind
    found = ask("GET", f"{ROOT}/operations/{done['name']}")
    assert (found["status"], found["operationType"]) == ("DONE", kind)
    error = ask("POST", f"{ROOT}/instances/none/{path}", body, 404)["error"]
    assert error["message"] == "The Cloud SQL instance does not exist."


def test_a_clone_has_what_its_source_has(ask: Asker) -> None:
    ask("POST", f"{DB}/databases", {"name": "app"})
    ask("POST", f"{DB}/clone", {"cloneContext": {"destinationInstanceName": "twin"}})
    assert ask("GET", f"{ROOT}/instances/twin")["connectionName"] == "p:us-central1:twin"
    assert {*names(ask("GET", f"{ROOT}/instances/twin/databases"))} == {"postgres", "app"}
    ask("DELETE", DB)
    assert names(ask("GET", f"{ROOT}/instances")) == ["twin"]
    ask("GET", f"{DB}/databases", status=404)


def test_a_backup_is_restored(ask: Asker) -> None:
    ask("POST", f"{DB}/backupRuns", {"description": "before"})
    (backup,) = ask("GET", f"{DB}/backupRuns")["items"]
    assert (backup["status"], backup["type"]) == ("SUCCESSFUL", "ON_DEMAND")
    for ident, status in ((backup["id"], 200), ("7", 404)):
        body = {"restoreBackupContext": {"backupRunId": ident, "instanceId": "db"}}
        ask("POST", f"{DB}/restoreBackup", body, status)


def test_replicas_are_promoted_before_their_primary_goes(ask: Asker) -> None:
    replica = {"name": "copy", "masterInstanceName": "db", "settings": {"tier": "t"}}
    ask("POST", f"{ROOT}/instances", replica)
    found = ask("GET", f"{ROOT}/instances/copy")
    assert found["instanceType"] == "READ_REPLICA_INSTANCE"
    assert found["databaseVersion"] == "POSTGRES_15"
    ask("DELETE", DB, status=400)
    ask("POST", f"{ROOT}/instances/copy/promoteReplica", {})
    assert ask("GET", f"{ROOT}/instances/copy")["instanceType"] == "CLOUD_SQL_INSTANCE"
    ask("POST", f"{ROOT}/instances/copy/promoteReplica", {}, 400)
    ask("DELETE", DB)


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "reason"),
    [
        ("POST", "/instances", NEW, 409, "instanceAlreadyExists"),
        ("POST", "/instances", {"name": "x"}, 400, "required"),
        ("POST", "/instances", {"settings": {"tier": "t"}}, 400, "required"),
        ("GET", "/instances/none", None, 404, "instanceDoesNotExist"),
        ("POST", "/instances/db/databases", {"name": "postgres"}, 400, "invalid"),
        ("POST", "/instances/db/clone", {"cloneContext": {"destinationInstanceName": "db"}}, 409,
         "instanceAlreadyExists"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    ask: Asker, verb: str, path: str, body: Any, status: int, reason: str
) -> None:
    error = ask(verb, f"{ROOT}{path}", body, status)["error"]
    assert error["errors"][0]["reason"] == reason


def test_protected_and_stopped_instances_say_so(ask: Asker) -> None:
    ask("PATCH", DB, {"settings": {"deletionProtectionEnabled": True, "activationPolicy": "NEVER"}})
    assert "protected" in ask("DELETE", DB, status=400)["error"]["message"]
    error = ask("POST", f"{DB}/restart", {}, 409)["error"]
    assert error["errors"][0]["reason"] == "invalidState"


def test_one_thing_is_done_at_a_time() -> None:
    spec = SessionSpec(overrides=({"operationPolls": 1},))
    with Asker(transport=EmulatorTransport(spec=spec)) as ask:
        made = ask("POST", f"{ROOT}/instances", NEW)
        assert made["status"] == "PENDING"
        assert ask("GET", DB)["state"] == "PENDING_CREATE"
        assert ask("GET", f"{ROOT}/instances")["items"][0]["state"] == "PENDING_CREATE"
        error = ask("PATCH", DB, {"settings": {}}, 409)["error"]
        assert error["errors"][0]["reason"] == "operationInProgress"
        assert ask("GET", f"{ROOT}/operations/{made['name']}")["status"] == "DONE"
        assert ask("GET", DB)["state"] == "RUNNABLE"


def scenario() -> Scenario:
    return over_http(f"{ROOT}/", _ask_all)


def _ask_all(call: Scenario) -> None:
    body: Any
    protected = {"deletionProtectionEnabled": True, "activationPolicy": "NEVER"}
    mysql = {"name": "my", "rootPassword": "x", "settings": {"tier": "t"}, "gceZone": "z-b"}
    for body in (NEW, mysql, {"name": "ms", "databaseVersion": "SQLSERVER_2019_WEB",
        "region": "europe-west6",
                              "settings": {"tier": "t",
                              "availabilityType": "REGIONAL"}}):  # fmt: skip
        name = body["name"]
        call("POST instances", body)
        for path in ("", "/databases", "/users", "/connectSettings"):
            call(f"GET instances/{name}{path}")
    call(
        "POST instances", {"name": "copy", "masterInstanceName": "p:db", "settings": {"tier": "t"}}
    )
    call("GET instances?maxResults=2")
    for body in ({"settings": {"userLabels": {"a": "b"}}, "rootPassword": "y"}, {},
                 {"settings": {"settingsVersion": "1"}}, {"settings": protected}):  # fmt: skip
        call("PATCH instances/db", body)
    call("GET instances/db")
    for path in ("failover", "restart"):
        call(f"POST instances/db/{path}", {})
    call("DELETE instances/db")
    call("PUT instances/db", {"settings": {"tier": "t2"}})
    call("GET instances/db")
    call("DELETE instances/db")
    for name in ("app", "app", ""):
        call("POST instances/db/databases", {"name": name, "charset": "UTF8"})
    for name in ("ann", "ann", ""):
        call("POST instances/my/users", {"name": name, "password": "x"})
    call("PUT instances/my/users?name=ann", {"host": "%", "password": "y"})
    call("GET instances/my/users/ann")
    call("DELETE instances/my/users?name=ann")
    call("DELETE instances/my/users?name=ann")
    call("GET instances/my/users?location=x")
    call("POST instances/db/backupRuns", {"description": "before"})
    (backup,) = call("GET instances/db/backupRuns")["items"]
    for ident in (backup["id"], "7"):
        body = {"restoreBackupContext": {"backupRunId": ident}}
        call("POST instances/db/restoreBackup", body)
    call("POST instances/my/restoreBackup", {})
    for name in ("twin", "my", ""):
        call("POST instances/db/clone", {"cloneContext": {"destinationInstanceName": name}})
    call("GET instances/twin")
    call("GET instances/twin/databases")
    for name in ("copy", "copy", "none"):
        call(f"POST instances/{name}/promoteReplica", {})
    call("GET instances/copy")
    call("DELETE instances/db")
    call("GET operations?instance=db&maxResults=3")


def test_instances_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
