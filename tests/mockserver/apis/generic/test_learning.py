import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.apis.generic.learning import Exchange, Learner, facts_text
from mockserver.apis.generic.templates import Names, Unsaid
from mockserver.cassettes.foreign.http_log import legal_value
from mockserver.http.application import Application
from mockserver.http.server import real_time
from mockserver.model import Json, JsonObject
from mockserver.settings import Settings
from tests.mockserver.apis.conftest import world_of

HOST = "compute.googleapis.com"
SECOND = "2026-01-01T00:00:00Z"


def without_streets(value: Json) -> Json:
    """A redaction that replaces the field `street`."""
    return {**value, "street": "x"} if isinstance(value, dict) and "street" in value else value


def new_learner() -> Learner:
    catalog = Application(Settings(), real=real_time, apis=APIS).dispatcher.routes.catalog
    return Learner(catalog, world_of(), without_streets)


@pytest.fixture(scope="module")
def learner() -> Learner:
    return new_learner()


def exchanges(name: str, body: JsonObject, answer: JsonObject) -> list[Exchange]:
    """A disk that is missing, made, and read."""
    place = "/compute/v1/projects/shop/zones/us-east1-b"
    path = f"{place}/disks/{name}"
    error = {"error": {"code": 404, "message": f"no disk {name}"}}
    started = {"name": "operation-7", "status": "RUNNING", "operationType": "insert"}
    return [
        Exchange("GET", HOST, path, {}, {}, 404, error),
        Exchange("POST", HOST, f"{place}/disks", {}, {"name": name, **body}, 200, started),
        Exchange("GET", HOST, f"{place}/operations/operation-7", {}, {}, 200,
                 {**started, "status": "DONE"}),
        Exchange("GET", HOST, path, {}, {}, 200, {"name": name, **body, **answer}),
    ]  # fmt: skip


def test_what_recordings_agree_on_is_learned(learner: Learner) -> None:
    disks: Mapping[str, tuple[JsonObject, JsonObject]] = {
        "one-disk": ({"interface": "NVME"}, {"status": "READY", "type": "FAST"}),
        "two-disk": ({}, {"status": "READY", "type": "SLOW"}),
        "third-disk": ({}, {"status": "READY", "type": "SLOW"}),
    }
    for name, (body, added) in disks.items():
        answer = {
            **added,
            "creationTimestamp": SECOND,
            "street": "One Way",
            "description": f"{name} of ann@example.com",
        }
        learner.add(name, exchanges(name, body, answer))
    facts = learner.facts()["compute"]
    disk: Mapping[str, Json] = facts["resources"]["Disk"]
    assert disk == {
        "status": [{"value": "READY", "seen": 3, "in": 3}],
        "type": [
            {"value": "FAST", "when": {"interface": "NVME"}, "seen": 1, "in": 1},
            {"value": "SLOW", "seen": 2, "in": 2},
        ],
        "creationTimestamp": [{"value": "{time}", "seen": 3, "in": 3}],
    }
    assert facts["errors"]["404 get"]["body"]["error"]["message"] == "no disk {id}"
    known = facts["operations"]["compute.disks.insert"]
    assert known["done"] == {
        "template": {"name": "{operation}", "status": "DONE", "operationType": "{verb}"},
        "seen": 3,
    }


GOLDEN = Path(__file__).with_name("learned.golden.txt")
"""Exchanges, each a line with its recording before it; then the facts of them."""


def learned(lines: Sequence[str]) -> str:
    """The facts of exchanges, of each API."""
    made, rows = new_learner(), sorted(map(json.loads, lines), key=lambda row: str(row[0]))
    for name, several in groupby(rows, key=lambda row: str(row[0])):
        made.add(name, [Exchange(*row[1:]) for row in several])
    return "".join(map(facts_text, made.facts().values()))


def test_facts_are_what_is_written_down() -> None:
    exchanges, _, facts = GOLDEN.read_text(encoding="utf-8").partition("\n\n")
    assert learned(exchanges.splitlines()) == facts


def test_what_stands_in_place_of_names_in_logs_is_no_fact() -> None:
    project, number = legal_value("projectId"), legal_value("projectNumber")
    names = Names({"project": project, "number": number, "region": "r-1", "locations": "r-1"})
    assert names.template(f"{project}/{number}", "x") == "{project}/{number}"
    assert names.template("r-1", "x") == "{region}"
    assert names.plain.template("r-1", "x") == "{locations}"
    with pytest.raises(Unsaid):
        names.template(f"of {legal_value('uniqueId')}", "x")
