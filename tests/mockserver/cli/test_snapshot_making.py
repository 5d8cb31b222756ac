import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cli.snapshot import app
from mockserver.errors import MockServerError
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
UNIT = {"orgUnitId": "id:03eng", "name": "Eng", "orgUnitPath": "/Eng", "parentOrgUnitPath": "/"}


def heard(url: str, body: object, status: int = 200) -> Interaction:
    return Interaction(
        RecordedRequest("GET", url), RecordedResponse(status, body=json.dumps(body).encode())
    )


def cassette(folder: Path, *interactions: Interaction) -> Path:
    path = folder / "live.yaml"
    write_cassette(Cassette("live.yaml", interactions), path)
    return path


def output(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_cassette_becomes_a_suite_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    """CEP-63: what was captured is written as the base of a suite."""
    path = cassette(
        tmp_path,
        heard(UNITS, {"organizationUnits": [UNIT]}),
        heard(f"{UNITS}/Gone", {"error": {}}, 404),
        heard("https://example.com/other", {}),
    )
    told = output("from-cassette", path, "--suite", tmp_path / "suite")
    assert told.splitlines() == [
        f"{tmp_path / 'suite'}: 1 base files of 1 answers",
        "left out: directory.orgunits.get was answered with 404",
        "left out: no collection for GET example.com/other (1)",
    ]
    assert json.loads(output("show", tmp_path / "suite", "orgUnits")) == [UNIT]


def test_a_base_that_is_there_is_replaced_when_asked_to(tmp_path: Path) -> None:
    path = cassette(tmp_path, heard(UNITS, {"organizationUnits": [UNIT]}))
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
        cassette(tmp_path, heard(UNITS, {"organizationUnits": [UNIT]})),
        "--suite",
        tmp_path / "captured",
    )
    base = tmp_path / "fixtures" / "base" / "base.json"
    base.parent.mkdir(parents=True)
    base.write_text('{"orgUnits": []}', encoding="utf-8")
    options = ("--base", tmp_path / "fixtures", "--case", "EC-051")
    told = output("minimise", tmp_path / "captured", *options)
    assert told.strip() == f"{tmp_path / 'fixtures' / 'EC-051' / 'overrides.json'}: orgUnits"
