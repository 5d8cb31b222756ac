import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cli.snapshot import app
from mockserver.errors import InvalidFilesError, MockServerError
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse

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


UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
CAPTURED_UNIT = {
    "orgUnitId": "id:03eng",
    "name": "Eng",
    "orgUnitPath": "/Eng",
    "parentOrgUnitPath": "/",
}


def heard(url: str, body: object, status: int = 200) -> Interaction:
    return Interaction(
        RecordedRequest("GET", url), RecordedResponse(status, body=json.dumps(body).encode())
    )


def cassette(folder: Path, *interactions: Interaction) -> Path:
    path = folder / "live.yaml"
    write_cassette(Cassette("live.yaml", interactions), path)
    return path


def test_a_cassette_becomes_a_suite_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    """CEP-63: what was captured is written as the base of a suite."""
    path = cassette(
        tmp_path,
        heard(UNITS, {"organizationUnits": [CAPTURED_UNIT]}),
        heard(f"{UNITS}/Gone", {"error": {}}, 404),
        heard("https://example.com/other", {}),
    )
    told = output("from-cassette", path, "--suite", tmp_path / "suite")
    assert told.splitlines() == [
        f"{tmp_path / 'suite'}: 1 base files of 1 answers",
        "left out: directory.orgunits.get was answered with 404",
        "left out: no collection for GET example.com/other (1)",
    ]
    assert json.loads(output("show", tmp_path / "suite", "orgUnits")) == [CAPTURED_UNIT]


def test_a_base_that_is_there_is_replaced_when_asked_to(tmp_path: Path) -> None:
    path = cassette(tmp_path, heard(UNITS, {"organizationUnits": [CAPTURED_UNIT]}))
    output("from-cassette", path, "--suite", tmp_path / "suite")
    with pytest.raises(MockServerError, match="--replace"):
        output("from-cassette", path, "--suite", tmp_path / "suite")
    output("from-cassette", path, "--suite", tmp_path / "suite", "--replace")


def test_a_cassette_without_anything_for_a_snapshot_is_refused(tmp_path: Path) -> None:
    path = cassette(tmp_path, heard("https://example.com/other", {}))
    with pytest.raises(MockServerError, match="holds no answer that a snapshot could be made of"):
        output("from-cassette", path, "--suite", tmp_path / "suite")


def test_what_differs_from_a_base_becomes_an_override(tmp_path: Path) -> None:
    """CEP-67: a captured snapshot is minimised to the override of a case."""
    output(
        "from-cassette",
        cassette(tmp_path, heard(UNITS, {"organizationUnits": [CAPTURED_UNIT]})),
        "--suite",
        tmp_path / "captured",
    )
    base = tmp_path / "fixtures" / "base" / "base.json"
    base.parent.mkdir(parents=True)
    base.write_text('{"orgUnits": []}', encoding="utf-8")
    options = ("--base", tmp_path / "fixtures", "--case", "EC-051")
    told = output("minimise", tmp_path / "captured", *options)
    assert told.strip() == f"{tmp_path / 'fixtures' / 'EC-051' / 'overrides.json'}: orgUnits"
