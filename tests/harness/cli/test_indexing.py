from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.indexing import check_db, index_run
from harness.cli.main import app
from harness.errors import HarnessError
from harness.storage import open_index
from harness.storage.index import find_run
from tests.runfolders import stored_run


def test_a_run_is_indexed_where_a_database_was_named(tmp_path: Path) -> None:
    folder = stored_run(tmp_path / "runs", "1", {"A": [True]})
    index_run(folder, "")
    assert not list(tmp_path.glob("**/*.db"))
    index_run(folder, str(tmp_path / "central.db"))
    index = open_index(tmp_path, str(tmp_path / "central.db"))
    assert find_run(index.database, "1") is not None
    index.close()


def test_a_database_that_is_down_does_not_stop_a_run(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    """The run goes on, and the index catches up."""
    runs = tmp_path / "runs"
    arguments = ["run", str(office), "--mock", mock_url, "--run-dir", str(runs), "-a", "oracle"]
    down = ["--db", "postgresql://u:s3cret@127.0.0.1:9/d"]
    result = CliRunner().invoke(app, [*arguments, *down])
    assert result.exit_code == 0
    assert "warning: the run is not indexed: " in result.output
    assert "s3cret" not in result.output
    listed = CliRunner().invoke(app, ["runs", "--run-dir", str(runs)])
    assert "oracle  2/2    2/2     1.000" in listed.output


def test_a_database_that_can_never_be_used_is_refused_before_the_run() -> None:
    check_db("")
    with pytest.raises(HarnessError, match="unknown kind"):
        check_db("mysql://h/d")
