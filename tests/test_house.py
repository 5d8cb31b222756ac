"""What otherwise decays: the tree of tests, the faces, the sizes, the rows that must be proven."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.redaction import RuleSet, find_leaks
from mockserver.storage.cassettes import read_cassette, write_cassette
from mockserver.storage.leaking import file_leaks
from mockserver.storage.redaction_rules import redaction_rules

ROOT = Path(__file__).parents[1]
MODULES = [
    path.relative_to(ROOT)
    for package in ("mockserver", "harness")
    for path in sorted((ROOT / package).rglob("*.py"))
]
CASSETTES = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "cassettes").rglob("*"))
    if path.suffix in {".yaml", ".json"} and path.parent.name != "plans"
] + [path.relative_to(ROOT) for path in sorted((ROOT / "fixtures").glob("*/cassettes/*"))]
FACES = [path for path in MODULES if path.name == "__init__.py"]
ROOMS = [path for path in MODULES if path.name not in ("__init__.py", "__main__.py")]
PROVEN_ROWS = [
    *(f"CEP-{number:02}" for number in (*range(1, 83), 84)),
    *(f"CEPR-{number:02}" for number in (5, 6, 8, 29, 30, 31)),
    *(f"CSR-{number:02}" for number in range(1, 39)),
    *(f"CSRR-{number:02}" for number in range(1, 16)),
    *(f"CTX-{number:02}" for number in range(1, 37)),
    *(f"SRE-{number:02}" for number in range(1, 14)),
    *(f"SRER-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 11)),
    *(f"CTXR-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
]
"""Rows of the requirements that have a test which names them."""


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


def test_every_stated_row_is_named_by_a_test() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py"))
    )
    others = text.replace(Path(__file__).read_text("utf-8"), "")
    named = set(re.findall(r"[A-Z]{3,4}-\d{2}", others))
    assert [row for row in PROVEN_ROWS if row not in named] == []


@pytest.mark.parametrize("cassette", CASSETTES, ids=str)
def test_every_cassette_loads_and_comes_back_as_it_was(cassette: Path, tmp_path: Path) -> None:
    held = read_cassette(ROOT / cassette)
    assert held.interactions
    write_cassette(held, tmp_path / cassette.name)
    assert (tmp_path / cassette.name).read_bytes() == (ROOT / cassette).read_bytes()


@pytest.mark.parametrize("cassette", CASSETTES, ids=str)
def test_no_cassette_leaks(cassette: Path) -> None:
    """CEP-65: what a capture committed holds no e-mail, customer id, address or hash of anybody."""
    rules = RuleSet.default().extended(rule for api in APIS for rule in api.redaction())
    assert file_leaks(ROOT / cassette, rules) == ()


def test_no_fixture_leaks() -> None:
    """Fixtures are invented; what no fixture may hold all the same is in their redaction.yaml."""
    rules = redaction_rules(ROOT / "fixtures" / "redaction.yaml")
    leaks = {
        str(path): find_leaks(path.read_bytes(), rules=rules)
        for path in sorted((ROOT / "fixtures").rglob("*.*"))
        if path.is_file()
    }
    assert {path: found for path, found in leaks.items() if found} == {}


def test_the_top_of_the_tree_holds_what_it_should() -> None:
    known = {
        "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "cassettes", "constraints.txt",
        "docs", "fixtures", "harness", "mockserver", "pyproject.toml", "tests",
    }  # fmt: skip
    made = {"runs", "build", "dist"}
    top = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert {name for name in top if not name.endswith(".egg-info")} - made <= known
