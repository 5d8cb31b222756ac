import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import open_index


def test_the_index_lies_beside_the_runs_by_default(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    assert index.database.url.database == str(tmp_path / "index.db")
    index.close()


@pytest.mark.parametrize(
    ("module", "url"), [("sqlalchemy", ""), ("psycopg", "postgresql://h/d")], ids=["orm", "driver"]
)
def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, url: str
) -> None:
    for name in [name for name in sys.modules if name.startswith("harness.storage.index")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(HarnessError, match=r"pip install 'understudy\[store\]'"):
        open_index(tmp_path, url)


def test_another_missing_module_is_not_taken_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "harness.storage.index", None)
    with pytest.raises(ModuleNotFoundError, match=r"harness\.storage\.index"):
        open_index(tmp_path)
