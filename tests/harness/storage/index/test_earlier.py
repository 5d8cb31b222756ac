"""Indexes as earlier versions of this program made them (`earlier/`), as statements in SQL."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.storage.index import RunIndex, cases_of, find_baselines, find_runs
from harness.storage.index.database import metadata

EARLIER = sorted(Path(__file__).with_name("earlier").glob("*.sql"))
RUN = "20261123-171359-b49ec3"


@pytest.mark.parametrize("dump", EARLIER, ids=lambda path: path.stem)
def test_an_earlier_index_is_read_and_goes_on(
    opened: Callable[..., RunIndex], tmp_path: Path, dump: Path
) -> None:
    """Of its two runs one has been removed since."""
    folder = tmp_path / "runs"
    shutil.copytree(Path(__file__).parents[1] / "earlier" / "1" / "run", folder / RUN)
    statements = dump.read_text(encoding="utf-8").replace("/evals", str(tmp_path)).split(";\n")
    index = opened()
    with index.database._engine.begin() as connection:
        metadata.drop_all(connection)
        for statement in statements[1:-2]:  # BEGIN, COMMIT and nothing are the others
            connection.exec_driver_sql(statement)
    found = find_runs(index.database)
    assert [(each.suite, each.agent, each.rate, each.fork) for each in found] == [
        ("su", "python:agent:run", 1.0, None)
    ] * 2
    assert [(each.case, each.verdict) for each in cases_of(index.database, RUN)] == [
        ("GREET", "passed"), ("SUSPEND", "passed"),
    ]  # fmt: skip
    assert {each.note for each in find_baselines(index.database)} == {"", "first"}
    assert index.catch_up().unchanged == 0
    assert [each.run for each in find_runs(index.database)] == [RUN]
