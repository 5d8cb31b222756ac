"""Kinds of expectations are listed in the table alone; the rest asks their classes."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import harness
from harness.checks import CHECKS, class_of
from harness.checks.expectation import AnyExpectation

PACKAGE = Path(harness.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
OWN = {
    name: Path(*check.kind.__module__.split(".")[1:]).with_suffix(".py")
    for name, check in CHECKS.items()
}
WORDS = {"files", "judge", "reference", "stop", "evidence", "patterns", "rubric", "exit_code"} | {
    "tool_calls", "budget", "phases", "routing", "loops", "grounding", "signals", "milestones",
    "minefields", "witnesses", "conversation",
}  # fmt: skip
"""Kinds whose names mean other things, too: only as a kind must they not be written."""


def named_kinds(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a program writes the name of a kind for the kind."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(name)) if name in CHECKS and name not in WORDS:
                yield node.lineno, name
            case ast.Compare() if ".kind" in ast.unparse(node) or "'kind'" in ast.unparse(node):
                yield from _constants(node)
            case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                found = [name for item in items for name in _constants(item)]
                if len(found) == len(items) > 1:
                    yield from found
            case _:
                pass


def _constants(node: ast.AST) -> Iterator[tuple[int, str]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and each.value in CHECKS:
            yield each.lineno, str(each.value)


@pytest.mark.parametrize(
    "program",
    [
        'check.kind == "judge"',
        'value.get("kind") == "patterns"',
        '_QUOTING = {"evidence", "files"}',
        'LISTS = {"text_lacks": "not_contains"}',
        'if check.kind in ("rubric", "other"): pass',
    ],
)
def test_a_kind_that_is_written_down_is_found(program: str) -> None:
    assert list(named_kinds(ast.parse(program)))


@pytest.mark.parametrize("program", ['KEYS = ("expect", "files")', 'name = "judge"', 'a["files"]'])
def test_a_word_that_is_no_kind_there_is_passed_over(program: str) -> None:
    assert not list(named_kinds(ast.parse(program)))


def test_no_module_names_kinds_of_another() -> None:
    found = [
        f"{path}:{line}: {name}"
        for path in (module.relative_to(PACKAGE) for module in MODULES)
        for line, name in named_kinds(ast.parse((PACKAGE / path).read_text(encoding="utf-8")))
        if path != OWN[name] and name != "score"  # which is a word of many other things, too
    ]
    assert found == []


def test_a_check_that_no_case_asks_for_has_the_attributes_of_any() -> None:
    assert class_of("tampering") is AnyExpectation
    assert [class_of(name) for name in CHECKS] == [check.kind for check in CHECKS.values()]
