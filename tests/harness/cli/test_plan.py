from pathlib import Path

from typer.testing import CliRunner

from harness.cli.main import app
from tests.harness.cli.test_compare import stored


def test_the_trials_that_a_drop_needs_are_told(tmp_path: Path) -> None:
    stored(tmp_path, "r1", {f"C-{n}": [True, True, n % 3 > 0] for n in range(12)})
    arguments = ["plan", "latest", "--drop", "0.3", "--run-dir", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "12 cases, mean rate 0.889" in result.output
    assert "trials a case see a drop of 30% with a power of 80%" in result.output


def test_a_drop_that_cannot_be_seen_is_told(tmp_path: Path) -> None:
    stored(tmp_path, "r1", {"A": [True]})
    arguments = ["plan", "r1", "--most", "2", "--run-dir", str(tmp_path)]
    assert "not even 2 trials a case" in CliRunner().invoke(app, arguments).output
