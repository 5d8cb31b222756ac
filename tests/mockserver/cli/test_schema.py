import json

from typer.testing import CliRunner

from mockserver.cli.main import app


def test_the_schema_of_snapshots_is_printed_as_json() -> None:
    result = CliRunner().invoke(app, ["schema", "snapshot", "--resources", "calendar:v3"])
    printed = json.loads(result.output)
    assert printed["properties"]["orgUnits"]["description"] == "org units"
    assert "calendar:v3" in printed["properties"]["resources"]["properties"]


def test_there_is_one_of_snapshots_alone() -> None:
    assert CliRunner().invoke(app, ["schema", "cassette"]).exit_code == 2
