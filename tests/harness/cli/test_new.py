from pathlib import Path

from typer.testing import CliRunner

from harness.cli.main import app


def test_a_scaffolded_case_is_valid_at_once(tmp_path: Path) -> None:
    """CEP-60."""
    suite = str(tmp_path / "suite")
    result = CliRunner().invoke(app, ["new", suite, "A-1", "--tags", "new-path,units"])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == f"next: harness lint {suite}"
    linted = CliRunner().invoke(app, ["lint", suite])
    told = linted.output.splitlines()
    assert (linted.exit_code, told[-1]) == (0, "1 case in 1 suite: 0 errors, 1 warning")
    assert "the override 'A-1' changes nothing of the base" in told[1]
