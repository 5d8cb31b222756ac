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


def users(count: int) -> list[dict[str, object]]:
    return [
        {
            "id": f"{10**20 + number}",
            "primaryEmail": f"person{number}@example.com",
            "name": {"givenName": f"Person {number}", "familyName": "Berg"},
            "orgUnitPath": f"/Unit {number % 10 + 1}",
            "emails": [{"address": f"person{number}@example.com", "primary": True}],
            "phones": [{"value": f"+49 30 555 {number:04}", "type": "work"}],
            "languages": [{"languageCode": "en", "preference": "preferred"}],
            "organizations": [{"title": "Engineer", "department": "Platform", "primary": True}],
        }
        for number in range(count)
    ]


def write_suite(folder: Path, *, cases: int) -> Path:
    base = folder / "base"
    base.mkdir(parents=True)
    snapshot = {
        "capturedAt": "2026-11-01T00:00:00Z",
        "customer": {"id": "C01234567", "customerDomain": "example.com"},
        "orgUnits": units(10),
        "users": users(100),
    }
    (base / "tenant.json").write_text(json.dumps(snapshot), encoding="utf-8")
    for number in range(cases):
        case = folder / f"EC-{number:05d}"
        case.mkdir()
        override = {"errors": {"chromeEvents": f"UNAUTHENTICATED: case {number}"}}
        (case / "overrides.json").write_text(json.dumps(override), encoding="utf-8")
    return folder
