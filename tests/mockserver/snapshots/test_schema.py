import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mockserver.apis import APIS
from mockserver.errors import MockServerError
from mockserver.snapshots.importer import Importer
from mockserver.snapshots.resolver import suite_apis
from mockserver.snapshots.schema import snapshot_schema

ROOT = Path(__file__).parents[3] / "fixtures"
FILES = sorted([*ROOT.glob("*/base/*.json"), *ROOT.glob("*/*/overrides.json")])


@cache
def schema_of(suite: Path | None) -> Draft202012Validator:
    """The schema of a suite's snapshots, with the APIs that it declares."""
    declared = suite_apis(suite, APIS).apis
    made = snapshot_schema((*APIS, *(each.as_api for each in declared)), ["calendar:v3"])
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made)


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return schema_of(None)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_bundled_snapshots_fit(path: Path) -> None:
    suite = ROOT / path.relative_to(ROOT).parts[0]
    schema = schema_of(suite if (suite / "apis").is_dir() else None)
    assert [error.message for error in schema.iter_errors(json.loads(path.read_bytes()))] == []


COUNT = {"type": "integer", "minimum": 0}
OF_SERVER: dict[str, Any] = {
    "$schema": {"type": "string"},
    "capturedAt": {"type": "string"},
    "faults": {"type": "array", "items": {"$ref": "#/$defs/faults"}},
    "http": {"type": "array", "items": {"$ref": "#/$defs/http"}},
    "tools": {"type": "object", "additionalProperties": {"type": "object"}},
    "operationPolls": COUNT,
    "operationSeconds": COUNT,
}


def test_every_key_is_described() -> None:
    made = snapshot_schema(APIS)
    properties = made["properties"]
    assert properties.keys() == Importer(APIS).keys.keys()
    assert all(each.pop("description") for each in properties.values())
    assert {name: properties[name] for name in OF_SERVER} == OF_SERVER
    names = [name for name in made["$defs"] if "." not in name]
    assert names == ["Latency", "Propagation", "Rate", "SocketStep", "StubMatch", "faults", "http"]
    refs = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(made)))
    assert refs == made["$defs"].keys()


@pytest.mark.parametrize(
    ("snapshot", "place"),
    [
        ({"orgUnit": []}, "$"),
        ({"orgUnits": [{"nam": "x"}]}, "$.orgUnits"),
        ({"users": [{"suspended": "yes"}]}, "$.users"),
        ({"faults": [{"method": "x", "tims": 2}]}, "$.faults[0]"),
        ({"http": [{"status": 200}]}, "$.http[0]"),
        ({"errors": {"nothing": "x"}}, "$.errors"),
        ({"operationPolls": -1}, "$.operationPolls"),
        ({"resources": {"none:v1": {}}}, "$.resources"),
        ({"resources": {"drive:v3": {"files": {}}}}, "$.resources['drive:v3'].files"),
        ({"resources": {"calendar:v3": {"evnts": []}}}, "$.resources['calendar:v3']"),
        (
            {"resources": {"calendar:v3": {"events": [{"start": "2026-11-21"}]}}},
            "$.resources['calendar:v3'].events[0].start",
        ),
        (
            {"resources": {"calendar:v3": {"events": [{"sumary": "x"}]}}},
            "$.resources['calendar:v3'].events[0]",
        ),
    ],
)
def test_what_no_snapshot_may_hold_is_marked(
    snapshot: dict[str, Any], place: str, schema: Draft202012Validator
) -> None:
    assert [error.json_path for error in schema.iter_errors(snapshot)] == [place]


@pytest.mark.parametrize(
    "snapshot",
    [
        {"$schema": "../snapshot.schema.json", "auditEvents": {"items": []}},
        {"members": {"a@example.com": [{"email": "b@example.com"}]}, "enrollmentToken": None},
        {"resources": {"calendar:v3": {"calendars/primary/events": [{"id": "1"}]}}},
        {"resources": {"calendar:v3": {"events": [{"calendarId": "primary", "summary": None}]}}},
        {"resources": {"drive:v3": {"files": [{"id": "1"}]}}},
        {
            "logEntries": [
                {"httpRequest": {"requestSize": 7}},
                {"httpRequest": {"requestSize": "7"}},
            ]
        },
    ],
)
def test_what_is_served_is_not_marked(
    snapshot: dict[str, Any], schema: Draft202012Validator
) -> None:
    assert list(schema.iter_errors(snapshot)) == []


@pytest.mark.parametrize("key", ["calender:v3", "calendar"])
def test_a_document_that_is_not_there_names_the_nearest(key: str) -> None:
    with pytest.raises(MockServerError, match="did you mean 'calendar:v3'"):
        snapshot_schema(APIS, [key])
