"""Versions of Secret Manager as a client meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

REGIONAL = "locations/europe-west1/secrets/card"
DELAY = {"versionDestroyTtl": "86400s"}


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker("https://secretmanager.googleapis.com/v1/projects/p/") as made:
        yield made


def add(ask: Asker, data: str, secret: str = "secrets/card", **more: str) -> str:
    made = ask("POST", f"{secret}:addVersion", {"payload": {"data": data, **more}})
    assert "payload" not in made
    return str(made["name"])


@pytest.mark.parametrize("secret", ["secrets/card", REGIONAL], ids=["global", "regional"])
def test_versions_are_counted_and_accessed_by_number_alias_and_as_latest(
    ask: Asker, secret: str
) -> None:
    ask("POST", f"{secret.rpartition('/')[0]}?secretId=card", {"replication": {"automatic": {}}})
    first = add(ask, "YQ==", secret)
    second = add(ask, "Yg==", secret, dataCrc32c="3531649220")
    assert (first[-10:], second[-10:]) == ("versions/1", "versions/2")
    ask("PATCH", f"{secret}?updateMask=versionAliases", {"versionAliases": {"old": "1"}})
    for version, name, data, crc in (
        ("1", first, "YQ==", "3251651376"),
        ("old", first, "YQ==", "3251651376"),
        ("latest", second, "Yg==", "3531649220"),
    ):
        found = ask("GET", f"{secret}/versions/{version}:access")
        assert found == {"name": name, "payload": {"data": data, "dataCrc32c": crc}}
        assert ask("GET", f"{secret}/versions/{version}")["name"] == name
    ask("DELETE", secret)
    ask("GET", f"{secret}/versions/1", status=404)
    ask("GET", f"{secret}/versions/latest:access", status=404)


def test_versions_that_are_disabled_or_destroyed_are_refused(ask: Asker) -> None:
    ask("POST", "secrets?secretId=card", {"replication": {"automatic": {}}})
    version = add(ask, "YQ==").removeprefix("projects/p/")
    tag = ask("GET", version)["etag"]
    ask("POST", f"{version}:disable", {"etag": '"other"'}, 400)
    assert ask("POST", f"{version}:disable", {"etag": tag})["state"] == "DISABLED"
    error = ask("GET", f"{version}:access", status=400)["error"]
    assert (error["status"], "DISABLED" in error["message"]) == ("FAILED_PRECONDITION", True)
    assert ask("POST", f"{version}:enable", {})["state"] == "ENABLED"
    assert ask("GET", f"{version}:access")["payload"]["data"] == "YQ=="
    gone = ask("POST", f"{version}:destroy", {})
    assert (gone["state"], "destroyTime" in gone) == ("DESTROYED", True)
    for verb, path in (("GET", "access"), ("POST", "enable"), ("POST", "destroy")):
        ask(verb, f"{version}:{path}", None if verb == "GET" else {}, 400)


def test_a_secret_expires_when_its_time_to_live_is_over(ask: Asker) -> None:
    body = {"replication": {"automatic": {}}, "ttl": "600s"}
    made = ask("POST", "secrets?secretId=card", body)
    assert "ttl" not in made
    assert made["expireTime"] > made["createTime"]


def test_a_secret_may_delay_destruction(ask: Asker) -> None:
    ask("POST", "secrets?secretId=card", {"replication": {"automatic": {}}, **DELAY})
    version = add(ask, "YQ==").removeprefix("projects/p/")
    waiting = ask("POST", f"{version}:destroy", {})
    assert (waiting["state"], "scheduledDestroyTime" in waiting) == ("DISABLED", True)


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "secrets/card:addVersion", {"payload": {"data": "YQ==", "dataCrc32c": "1"}}),
        ("POST", "secrets/card:addVersion", {"payload": {"data": "A" * 87384}}),
        ("PATCH", "secrets/card?updateMask=versionAliases", {"versionAliases": {"x": "7"}}),
    ],
    ids=["sum", "large", "alias"],
)
def test_refusals(ask: Asker, verb: str, path: str, body: Any) -> None:
    ask("POST", "secrets?secretId=card", {"replication": {"automatic": {}}})
    ask(verb, path, body, 400)


def scenario() -> Scenario:
    return over_http("https://secretmanager.googleapis.com/v1/projects/p/", _ask_all)


def _ask_all(call: Scenario) -> None:
    kept: Any
    body: Any
    kept = {"replication": {"automatic": {}}}
    for ident, body in (
        ("card", kept), ("card", kept), ("short", {**kept, "ttl": "90s"}), ("", kept), ("none", {}),
        ("late", {**kept, "versionDestroyTtl": "86400s", "labels": {"a": "b"}}),
        ("past", {**kept, "expireTime": "2026-04-01T00:00:00Z"}),
    ):  # fmt: skip
        call(f"POST secrets?secretId={ident}", body)
    call("GET secrets?pageSize=1")
    call("GET secrets?filter=labels.a=b")
    large = "A" * 87380
    for secret in ("card", "late", "none"):
        for payload in (
            {"data": "YQ=="}, {"data": "Yg==", "dataCrc32c": "3531649220"}, {}, None,
            {"data": "Yg==", "dataCrc32c": "1"}, {"data": "Yw"},
        ):  # fmt: skip
            call(f"POST secrets/{secret}:addVersion", {"payload": payload} if payload else {})
    for data in (f"{large}AA==", f"{large}A=", f"{large}AAA="):
        call("POST secrets/short:addVersion", {"payload": {"data": data}})
        call.lines[-2] = f"POST secrets/short:addVersion of {len(data)} letters"
    aliases: Any
    for aliases in ({"a": "1", "b": 2}, {"c": "99"}, {}):
        call("PATCH secrets/card?updateMask=versionAliases", {"versionAliases": aliases})
        for version in ("a", "b", "c"):
            call(f"GET secrets/card/versions/{version}:access")
    _change_states(call)
    for version in ("v1beta1", "v1"):
        root = f"https://secretmanager.googleapis.com/{version}/projects/p/secrets"
        call(f"POST {root}?secretId=old", kept)
        call(f"POST {root}/old:addVersion", {"payload": {"data": "YQ=="}})
        for path in ("", "/versions/1", "/versions/latest:access", "/versions/1:access"):
            call(f"GET {root}/old{path}")
    for secret in ("card", "card", "short"):
        call(f"DELETE secrets/{secret}")
        call(f"GET secrets/{secret}/versions/1")
        call(f"GET secrets/{secret}/versions")


def _change_states(call: Scenario) -> None:
    body: Any
    etag = call("GET secrets/card/versions/1")["etag"]
    for secret in ("card", "late"):
        for version in ("1", "latest", "2", "none"):
            place = f"secrets/{secret}/versions/{version}"
            for verb, body in (
                ("disable", {"etag": "x"}), ("disable", {"etag": etag}), ("disable", {}),
                ("enable", {}), ("destroy", {}), ("enable", {}), ("destroy", {}),
            ):  # fmt: skip
                call(f"POST {place}:{verb}", body)
                call(f"GET {place}:access")
            call(f"GET {place}")
    call("GET secrets/late/versions?filter=state:DISABLED")
    call("GET secrets/late/versions/1", wait=86400)


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())
