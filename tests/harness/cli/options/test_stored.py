from harness.cli.options import StoreOptions
from harness.cli.run_options import RunOptions


def test_a_run_is_indexed_nowhere_unless_asked() -> None:
    assert StoreOptions().db == ""
    assert RunOptions(db="x.db").db == "x.db"
