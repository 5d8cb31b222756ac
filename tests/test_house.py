"""What otherwise decays: the tree of tests, the faces, the sizes, the rows that must be proven."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    path.relative_to(ROOT)
    for package in ("mockserver", "harness")
    for path in sorted((ROOT / package).rglob("*.py"))
]
FACES = [path for path in MODULES if path.name == "__init__.py"]
ROOMS = [path for path in MODULES if path.name not in ("__init__.py", "__main__.py")]
PROVEN_ROWS = [f"CEP-{number:02}" for number in range(1, 60)]
"""Rows of the first seed that are stated outright; capture (63 and up) has its own place."""


@pytest.mark.parametrize("module", ROOMS, ids=str)
def test_every_module_has_its_test_file(module: Path) -> None:
    test = ROOT / "tests" / module.parent / f"test_{module.name}"
    assert test.is_file(), f"{module} has no {test.relative_to(ROOT)}"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_module_is_over_300_lines(module: Path) -> None:
    assert len((ROOT / module).read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("face", FACES, ids=str)
def test_a_face_names_what_exists_and_holds_no_code(face: Path) -> None:
    tree = ast.parse((ROOT / face).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a face begins with a sentence"
    functions = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert functions == [], "classes live in modules of their own"
    name = ".".join(face.parent.parts)
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert list(exported) == sorted(exported, key=_ruff_order)
    for item in exported:
        assert hasattr(module, item)


def _ruff_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_every_stated_row_of_the_first_seed_is_named_by_a_test() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py"))
    )
    named = set(re.findall(r"CEP-\d{2}", text.replace(Path(__file__).read_text("utf-8"), "")))
    assert [row for row in PROVEN_ROWS if row not in named] == []


def test_the_top_of_the_tree_holds_what_it_should() -> None:
    known = {
        "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "cassettes", "constraints.txt",
        "docs", "fixtures", "harness", "mockserver", "pyproject.toml", "tests",
    }  # fmt: skip
    made = {"runs", "build", "dist"}
    top = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert {name for name in top if not name.endswith(".egg-info")} - made <= known
