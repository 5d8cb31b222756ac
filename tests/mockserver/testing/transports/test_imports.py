"""Libraries that are imported after the patches are made."""

import importlib
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from mockserver.testing.transports.imports import ImportPatches, replace_attribute


def mark(module: ModuleType, undo: ExitStack) -> None:
    replace_attribute(module, "answer", "patched", undo)


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "late_library.py").write_text("answer = 'own'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "late_library", raising=False)
    return "late_library"


def test_a_module_is_patched_once_it_is_imported_and_restored(late: str) -> None:
    patches = ImportPatches({late: mark, "no_such_module_at_all": mark})
    patches.install()
    module = importlib.import_module(late)
    assert module.answer == "patched"
    assert type(module.__spec__.loader).__name__ == "SourceFileLoader"  # type: ignore[union-attr]
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module_at_all")
    patches.remove()
    assert module.answer == "own"
    assert patches not in sys.meta_path


def test_a_module_that_is_imported_when_all_is_over_is_left_alone(late: str) -> None:
    patches = ImportPatches({late: mark})
    patches.install()
    spec = patches.find_spec(late, None)
    patches.remove()
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.answer == "own"


def test_what_is_inherited_is_inherited_again() -> None:
    class Base:
        answer = "own"

    class Child(Base):
        pass

    with ExitStack() as undo:
        replace_attribute(Child, "answer", "patched", undo)
        assert Child.answer == "patched"
    assert "answer" not in vars(Child)
    assert Child.answer == "own"
