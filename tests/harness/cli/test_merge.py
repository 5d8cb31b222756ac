import json
from pathlib import Path

from typer.testing import CliRunner

from harness.cli.main import app


def test_shards_are_run_and_put_together(office: Path, mock_url: str, tmp_path: Path) -> None:
    fixed = ["--mock", mock_url, "--run-dir", str(tmp_path / "runs"), "-a", "oracle"]
    for shard in ("1/2", "2/2"):
        result = CliRunner().invoke(app, ["run", str(office), *fixed, "--shard", shard])
        assert (result.exit_code, "1/1" in result.stdout) == (0, True), result.output
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    copy = tmp_path / "copy.json"
    asked = ["merge", *names, "--run-dir", str(tmp_path / "runs"), "--json-output", str(copy)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0
    assert "cases  2/2" in result.stdout
    report = json.loads(copy.read_text(encoding="utf-8"))
    assert {case["caseId"] for case in report["cases"]} == {"T-001", "T-002"}
