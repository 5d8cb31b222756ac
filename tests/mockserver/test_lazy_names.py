import sys
from importlib import import_module
from inspect import getclosurevars
from types import ModuleType

import pytest

from mockserver.lazy_names import lazy_names


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with a module `box` that has a `Lid`; nothing of it is on disk."""
    made, box = ModuleType("parcel"), ModuleType("parcel.box")
    made.__path__ = []
    box.Lid = "a lid"  # type: ignore[attr-defined]  # a module of its own
    monkeypatch.setitem(sys.modules, "parcel", made)
    monkeypatch.setitem(sys.modules, "parcel.box", box)
    made.__getattr__ = lazy_names("parcel", {"box": "Lid"})  # type: ignore[method-assign]
    return made


def test_a_name_is_found_in_its_module_and_kept(package: ModuleType) -> None:
    assert "Lid" not in vars(package)
    assert package.Lid == "a lid"
    assert vars(package)["Lid"] == "a lid"


def test_other_names_are_unknown(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'parcel' has no attribute 'Bow'"):
        _ = package.Bow


PACKAGES = ("googleapi", "messages", "redaction", "inspection", "apis.generic", "apis.tools")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_every_name_that_it_lists(name: str) -> None:
    package = import_module(f"mockserver.{name}")
    listed = getclosurevars(package.__getattr__).nonlocals["where"]
    assert [each for each in listed if not hasattr(package, each)] == []
