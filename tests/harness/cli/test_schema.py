import json

from typer.testing import CliRunner

from harness.cases import json_schema
from harness.cli.main import app


def test_the_schema_of_native_cases_is_printed() -> None:
    result = CliRunner().invoke(app, ["schema"])
    assert result.exit_code == 0
    assert json.loads(result.output) == json_schema()
