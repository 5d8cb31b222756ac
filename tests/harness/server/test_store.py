from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.server import Settings
from harness.server.store import Store
from tests.runfolders import stored_run


@pytest.mark.parametrize(
    ("after", "degraded"), [(9, False), (8, True)], ids=["exactly the threshold", "more"]
)
def test_a_fall_of_exactly_the_threshold_is_none(
    tmp_path: Path, after: int, degraded: bool
) -> None:
    """CTX-18: previous - current > threshold"""
    stored_run(tmp_path, "1", {"A": [True] * 10})
    stored_run(tmp_path, "2", {"A": [number < after for number in range(10)]})
    store = Store(Settings(runs=tmp_path))
    store.promote("1", "", "2026")
    found = store.regressions("office", threshold=0.1, margin=0.05)
    assert found.regressions[0].degraded is degraded
    store.close()


def test_many_may_ask_at_once(tmp_path: Path) -> None:
    for name in "123":
        stored_run(tmp_path, name, {"A": [True]})
    store = Store(Settings(runs=tmp_path))
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: store.runs(suite="", agent="", before="", limit=9), "1234"))
    assert [len(page.runs) for page in pages] == [3] * 4
    store.close()
