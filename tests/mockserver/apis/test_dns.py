"""Zones of Cloud DNS and their record sets as a client meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

ROOT = "https://dns.googleapis.com/dns/v1/projects/p/managedZones"
ZONE = f"{ROOT}/z"
NEW = {"name": "z", "dnsName": "example.com.", "description": ""}
SOA = "ns-cloud-a1.googledomains.com. cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"


def a(
    name: str = "www", ttl: int = 300, data: str = "192.0.2.1", *, kind: str = "A"
) -> dict[str, Any]:
    return {"name": f"{name}.example.com.", "type": kind, "ttl": ttl, "rrdatas": [data]}


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker() as made:
        made("POST", ROOT, NEW)
        made("POST", f"{ZONE}/changes", {"additions": [a()]})
        yield made


def sets(ask: Asker, query: str = "") -> list[tuple[str, str]]:
    found = ask("GET", f"{ZONE}/rrsets{query}").get("rrsets", [])
    return [(each["name"].partition(".")[0], each["type"]) for each in found]


def test_a_zone_is_made_with_its_own_records(ask: Asker) -> None:
    (soa,) = ask("GET", f"{ZONE}/rrsets?name=example.com.&type=SOA")["rrsets"]
    assert (soa["rrdatas"], soa["ttl"]) == ([SOA], 21600)
    assert sets(ask) == [("example", "SOA"), ("example", "NS"), ("www", "A")]
    assert sets(ask, "?name=www.example.com.") == [("www", "A")]


def test_a_change_is_made_as_a_whole(ask: Asker) -> None:
    change = {"deletions": [a()], "additions": [a("www", 60, "192.0.2.2"), a("api")]}
    made = ask("POST", f"{ZONE}/changes", change)
    assert (made["id"], made["status"]) == ("2", "pending")
    assert ask("GET", f"{ZONE}/changes/2")["status"] == "done"
    assert ask("GET", f"{ZONE}/rrsets/www.example.com./A")["rrdatas"] == ["192.0.2.2"]
    listed = ask("GET", f"{ZONE}/changes")["changes"]
    assert [each["id"] for each in listed] == ["2", "1", "0"]
    page = ask("GET", f"{ZONE}/changes?maxResults=2")
    rest = ask("GET", f"{ZONE}/changes?maxResults=2&pageToken={page['nextPageToken']}")
    assert [each["id"] for each in rest["changes"]] == ["0"]
    listed = ask("GET", f"{ZONE}/changes?sortOrder=ascending")["changes"]
    assert [each["id"] for each in listed] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({}, 400, "The 'entity.change' parameter is required but was missing."),
        ({"additions": [a("new"), a()]}, 409,
         "The resource 'entity.change.additions[1]' named 'www.example.com. (A)' already exists"),
        ({"additions": [a("new")], "deletions": [a("none")]}, 404,
         "The 'entity.change.deletions[0]' resource named 'none.example.com. (A)' does not exist."),
        ({"deletions": [a(ttl=60)]}, 412, "Precondition not met for 'entity.change.deletions[0]'"),
        ({"additions": [{**a(), "name": "www.example.org."}]}, 400,
         "Invalid value for 'entity.change.additions[0].name': 'www.example.org.'"),
        ({"additions": [a("www", 60, "example.com.", kind="CNAME")]}, 400,
         "may have either one CNAME resource record set"),
        ({"additions": [{"name": "x.example.com.", "type": "A"}]}, 400, "required but was missing"),
        ({"deletions": [{"name": "example.com.", "type": "SOA", "ttl": 21600, "rrdatas": [SOA]}]},
         400, "exactly one resource record set of type 'SOA' at the apex."),
    ],
)  # fmt: skip
def test_a_change_that_cannot_be_changes_nothing(
    ask: Asker, change: Any, status: int, words: str
) -> None:
    before = sets(ask)
    assert words in ask("POST", f"{ZONE}/changes", change, status)["error"]["message"]
    assert sets(ask) == before


def test_record_sets_are_made_changed_and_deleted_by_themselves(ask: Asker) -> None:
    api = f"{ZONE}/rrsets/api.example.com./A"
    assert ask("POST", f"{ZONE}/rrsets", a("api"))["kind"] == "dns#resourceRecordSet"
    ask("POST", f"{ZONE}/rrsets", a("api"), 409)
    assert ask("PATCH", api, {"ttl": 60})["ttl"] == 60
    assert ask("GET", api)["rrdatas"] == ["192.0.2.1"]
    ask("DELETE", api)
    error = ask("GET", api, status=404)["error"]
    assert error["errors"][0]["reason"] == "notFound"
    ask("DELETE", api, status=404)
    ask("DELETE", f"{ZONE}/rrsets/example.com./NS", status=400)


def test_a_zone_with_records_stays(ask: Asker) -> None:
    error = ask("DELETE", ZONE, status=400)["error"]
    assert error["errors"][0]["reason"] == "containerNotEmpty"
    ask("DELETE", f"{ZONE}/rrsets/www.example.com./A")
    ask("DELETE", ZONE)
    ask("GET", f"{ZONE}/rrsets", status=404)
    ask("POST", ROOT, NEW)
    assert [each["id"] for each in ask("GET", f"{ZONE}/changes")["changes"]] == ["0"]


@pytest.mark.parametrize(
    ("zone", "status"),
    [(NEW, 409), ({**NEW, "name": "y", "dnsName": "example.com"}, 400), ({"name": "y"}, 400)],
)
def test_a_zone_that_cannot_be_is_refused(ask: Asker, zone: Any, status: int) -> None:
    ask("POST", ROOT, zone, status)


def test_versions_show_the_same_zones(ask: Asker) -> None:
    older = ZONE.replace("/dns/v1/", "/dns/v1beta2/")
    assert ask("GET", older)["dnsName"] == "example.com."
    ask("POST", f"{older}/changes", {"additions": [a("api")]})
    assert sets(ask, "?name=api.example.com.") == [("api", "A")]


def scenario() -> Scenario:
    return over_http(f"{ROOT.removesuffix('/managedZones')}/", _ask_all)


def _ask_all(call: Scenario) -> None:
    for zone in (NEW, NEW, {}, {"name": "x"}, {**NEW, "name": "bad", "dnsName": "a..b."},
                 {**NEW, "name": "own", "dnsName": "corp.", "visibility": "private"}):  # fmt: skip
        call("POST managedZones", zone)
    call("GET managedZones")
    call("GET managedZones/own/rrsets")
    call("GET managedZones/z/changes")
    routed = {"name": "geo.example.com.", "type": "A", "routingPolicy": {"wrr": {"items": []}}}
    changes: list[Any] = [
        {"additions": [a(), a("api", data="192.0.2.3"), routed]}, {}, {"additions": [a()]},
        {"deletions": [a(ttl=60)]}, {"deletions": [a("none")]},
        {"deletions": [a()], "additions": [a("www", 60)]}, {"additions": [{"name": "x"}]},
        {"additions": [{**a(), "name": "example.org."}]}, {"additions": [{**a(), "rrdatas": []}]},
        {"additions": [{**a(kind="CNAME"), "name": "example.com."}]},
        {"additions": [a("api", kind="CNAME")]}, {"additions": [a("alias", kind="CNAME")]},
        {"additions": [a("alias")]},
        {"deletions": [{"name": "example.com.", "type": "SOA", "ttl": 21600, "rrdatas": [SOA]}]},
        {"deletions": [{"name": "api.example.com.", "type": "A"}]},
    ]  # fmt: skip
    for change in changes:
        call("POST managedZones/z/changes", change)
    for query in ("", "?maxResults=2", "?sortOrder=ascending&maxResults=1", "?sortOrder=up",
                  "?sortBy=changeSequence"):  # fmt: skip
        call(f"GET managedZones/z/changes{query}")
    for query in ("", "?name=www.example.com.", "?name=www.example.com.&type=A", "?type=A",
                  "?maxResults=2"):  # fmt: skip
        call(f"GET managedZones/z/rrsets{query}")
    one = "managedZones/z/rrsets/www.example.com./A"
    call("POST managedZones/z/rrsets", a("mail", kind="MX"))
    for verb, body in (("GET", None), ("PATCH", {"ttl": 5}), ("PATCH", {"rrdatas": []}),
        ("DELETE", None),
                       ("DELETE", None), ("PATCH", {"ttl": 6})):  # fmt: skip
        call(f"{verb} {one}", body)
    call("DELETE managedZones/z/rrsets/example.com./NS")
    for name in ("z", "own", "own"):
        call(f"DELETE managedZones/{name}")
    call("GET managedZones/none/changes")


def test_zones_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
