import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.cli.snapshot import app
from mockserver.errors import InvalidFilesError, MockServerError

UNIT = {"name": "Eng", "orgUnitId": "id:03eng", "parentOrgUnitPath": "/", "orgUnitPath": "/Eng"}
BASE = {
    "capturedAt": "2026-11-01T00:00:00Z",
    "customer": {"id": "C01234567", "customerDomain": "example.com"},
    "orgUnits": [UNIT],
    "auditEvents": {"items": [], "nextPageToken": "stale"},
}


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path / "base" / "tenant.json", BASE)
    write(tmp_path / "EC-001" / "overrides.json", {"errors": {"chromeEvents": "INTERNAL: no"}})
    write(
        tmp_path / "EC-002" / "move.patch.json",
        [{"op": "replace", "path": "/orgUnits/0/name", "value": "Engineering"}],
    )
    return tmp_path


def output(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_show_lists_collections_or_prints_one(suite: Path) -> None:
    assert "orgUnits             1 entry" in output("show", suite)
    assert json.loads(output("show", suite, "orgUnits")) == [UNIT]
    assert list(json.loads(output("show", suite, "errors", "--case", "EC-001"))) == ["chromeEvents"]


def test_show_can_print_what_is_served(suite: Path) -> None:
    served = json.loads(output("show", suite, "orgUnits", "--served"))
    assert served["03eng"]["orgUnitPath"] == "/Eng"
    assert any(unit["orgUnitPath"] == "/" for unit in served.values())


def test_show_of_an_unknown_collection_names_the_nearest(suite: Path) -> None:
    with pytest.raises(MockServerError, match="did you mean 'orgUnits'"):
        output("show", suite, "orgunit")


def test_explain_names_the_file_and_place_of_a_value(suite: Path) -> None:
    assert "written in base/tenant.json#/orgUnits/0/name" in output(
        "explain", suite, "/orgUnits/Eng/name"
    )
    assert "written in EC-002/move.patch.json#/0" in output(
        "explain", suite, "/orgUnits/0/name", "--case", "EC-002"
    )


def test_explain_lists_what_was_reshaped(suite: Path) -> None:
    everything = output("explain", suite)
    assert "base/tenant.json#/auditEvents/nextPageToken" in everything
    assert "reshaped:" in output("explain", suite, "/auditEvents")


def test_diff_is_a_json_patch(suite: Path) -> None:
    assert json.loads(output("diff", suite, "EC-002")) == [
        {"op": "replace", "path": "/orgUnits/0/name", "value": "Engineering"}
    ]
    assert {item["path"] for item in json.loads(output("diff", suite, "EC-001", "EC-002"))} == {
        "/errors",
        "/orgUnits/0/name",
    }


def test_lint_of_a_sound_suite_counts_its_snapshots(suite: Path) -> None:
    write(suite / "base" / "tenant.json", {**BASE, "auditEvents": []})
    assert "3 snapshots, 0 findings" in output("lint", suite)


def test_lint_tells_all_that_is_wrong_and_fails(suite: Path) -> None:
    write(suite / "EC-001" / "overrides.json", {"orgUnit": []})
    result = CliRunner().invoke(app, ["lint", str(suite)])
    assert isinstance(result.exception, InvalidFilesError)
    write(suite / "EC-002" / "move.patch.json", {})
    result = CliRunner().invoke(app, ["lint", str(suite)])
    assert "EC-001/overrides.json#/orgUnit: unknown collection" in result.output
    assert "move.patch.json: expected an RFC 6902 array" in result.output
    assert "2 errors" in str(result.exception)


def test_lint_warns_and_fails_for_warnings_only_when_it_is_strict(suite: Path) -> None:
    assert "nextPageToken: a page token of the capture" in output("lint", suite)
    strict = CliRunner().invoke(app, ["lint", str(suite), "--strict"])
    assert (strict.exit_code, "1 finding\n" in strict.output) == (1, True)


def test_lint_hints_at_values_that_no_person_can_read(suite: Path) -> None:
    """CEP-68: opaque values are reported as hints for a UI."""
    write(suite / "base" / "b.json", {"groups": [{"id": "01qdwywh9v2glu3", "email": "a@b.c"}]})
    assert "hint: " not in output("lint", suite)
    assert "groups/0/id: '01qdwywh9v2glu3' tells a person nothing" in output(
        "lint", suite, "--hints"
    )
