"""Suites made up for measuring: ten org units, and as many cases as are asked for."""

import json
from pathlib import Path

ROOT_ID = "id:03ph8a2z0000000"


def units(count: int) -> list[dict[str, str]]:
    return [
        {
            "kind": "admin#directory#orgUnit",
            "name": f"Unit {number}",
            "description": f"Department number {number}",
            "orgUnitId": f"id:03ph8a2z{number:07d}",
            "orgUnitPath": f"/Unit {number}",
            "parentOrgUnitId": ROOT_ID,
            "parentOrgUnitPath": "/",
        }
        for number in range(1, count + 1)
    ]


def write_suite(folder: Path, *, cases: int) -> Path:
    base = folder / "base"
    base.mkdir(parents=True)
    snapshot = {
        "capturedAt": "2026-11-01T00:00:00Z",
        "customer": {"id": "C01234567", "customerDomain": "example.com"},
        "orgUnits": units(10),
    }
    (base / "tenant.json").write_text(json.dumps(snapshot), encoding="utf-8")
    for number in range(cases):
        case = folder / f"EC-{number:05d}"
        case.mkdir()
        override = {"errors": {"chromeEvents": f"UNAUTHENTICATED: case {number}"}}
        (case / "overrides.json").write_text(json.dumps(override), encoding="utf-8")
    return folder
