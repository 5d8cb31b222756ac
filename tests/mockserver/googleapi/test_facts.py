import pytest

from mockserver.googleapi import ApiError, Call
from mockserver.googleapi.facts import Facts, Filling, facts_of, place_variables
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.conftest import world_of

PATH = "projects/p/zones/us-east1-b/disks/d"
DISK: JsonObject = {
    "kind": [{"value": "parrots#disk"}],
    "size": [{"value": 10, "when": {"type": "SMALL"}}, {"value": 500, "when": {"type": "*"}}],
    "secret": [{"hidden": True}],
    "network": [{"form": "https://example.com/{version}/{given_path}"}],
    "zone": [{"value": "zones/{zones}", "when": {"@zones": "*"}}],
    "region": [{"value": "{region}"}],
    "owner": [{"value": "{nobody}"}],
    "silent": [{"value": None, "when": {"type": None}}, {"value": "loud"}],
    "options": [{"value": {}}],
    "tags": [{"value": []}],
    "options.cache": [{"value": True}],
    "parts[].mode": [{"value": "READ_WRITE"}],
}
FACTS = Facts({"resources": {"Disk": DISK}})
ALWAYS: JsonObject = {
    "kind": "parrots#disk",
    "zone": "zones/us-east1-b",
    "region": "us-east1",
    "options": {"cache": True},
    "tags": (),
}


def call() -> Call:
    return Call("parrots.disks.insert", {}, {}, world_of(), "v1")


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({}, {}),
        ({"type": "SMALL"}, {"size": 10, "silent": "loud"}),
        ({"type": "LARGE"}, {"size": 500, "silent": "loud"}),
        ({"secret": "x"}, {"secret": None}),
        ({"network": "networks/n"}, {"network": "https://example.com/v1/networks/n"}),
        ({"kind": "mine", "options": {"cache": False}}, {}),
        ({"parts": [{"id": 1}, {"mode": "OFF"}]},
         {"parts": [{"id": 1, "mode": "READ_WRITE"}, {"mode": "OFF"}]}),
    ],
)  # fmt: skip
def test_a_service_adds_what_the_request_does_not_say(given: JsonObject, added: JsonObject) -> None:
    expected: JsonObject = {**ALWAYS, **given, **added}
    row = FACTS.complete("Disk", call(), PATH, given)
    assert row == {name: value for name, value in expected.items() if value is not None}


def test_the_first_layer_that_says_something_of_a_field_counts() -> None:
    more = {"resources": {"Disk": {"kind": [{"value": "other"}], "more": [{"value": 1}]}}}
    row = Facts(FACTS.layers[0], more).complete("Disk", call(), PATH, {})
    assert (row["kind"], row["more"]) == ("parrots#disk", 1)


def test_what_nothing_is_known_of_stays_as_it_is() -> None:
    given: JsonObject = {"a": 1}
    assert FACTS.complete("Other", call(), PATH, given) is given
    assert facts_of("no-such-api").complete("Disk", call(), PATH, given) is given


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{time}", "2026-03-02T09:00:00.000Z"),
        ("{caller}", "user@example.com"),
        (["{id}", {"in": "{parent}"}], ["d", {"in": "projects/p/zones/us-east1-b"}]),
        ({"kept": 1, "left_out": "{unknown}"}, {"kept": 1}),
        (["{public_address}", "{public_address}"], ["203.0.113.244", "203.0.113.244"]),
    ],
)
def test_templates_are_filled(template: Json, form: Json) -> None:
    assert Filling(call(), PATH, {}).value(template) == form


@pytest.mark.parametrize(
    ("place", "scope", "zone", "first_zone"),
    [
        ("us-east1-b", "zones/us-east1-b", "us-east1-b", "us-east1-b"),
        ("us-east1", "locations/us-east1", None, "us-east1-a"),
        ("global", None, None, None),
    ],
)
def test_a_location_is_a_zone_or_a_region(
    place: str, scope: str | None, zone: str | None, first_zone: str | None
) -> None:
    found = place_variables(f"projects/p/locations/{place}/clusters/c", "v1", "7", "p")
    assert [found.get(each) for each in ("scope", "zone", "first_zone")] == [
        scope,
        zone,
        first_zone,
    ]


def test_errors_and_operations_are_said_as_their_service_says_them() -> None:
    known = Facts({
        "errors": {"404 get": {"body": {"error": {"message": "no disk {id}", "code": 404}}}},
        "operations": {"*": {"pending": {"template": {"status": "RUNNING"}}}},
    })  # fmt: skip
    error = ApiError(404, "Not found.")
    assert known.worded(error, "get", "Disk", call(), PATH).message == "no disk d"
    assert known.worded(error, "delete", "Disk", call(), PATH) is error
    assert known.operation("parrots.disks.insert") == {"pending": {"status": "RUNNING"}}
