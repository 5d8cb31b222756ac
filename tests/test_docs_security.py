"""Each claim of the security page names the test that tries it."""

import ast
from functools import cache

import pytest

from tests.documents import DOCS, ROOT, table

ROWS = [tuple(row) for row in table(DOCS["security"], "Who")]
WHO = {"agent", "sandboxed agent", "suite", "cassette", "web page", "other user", "neighbour"}


@cache
def names_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}: {row[3].strip('`')}")
def test_a_claim_is_tried_by_a_test(row: tuple[str, str, str, str]) -> None:
    who, can, cannot, test = row
    path, _, name = test.strip("`").partition("::")
    assert who in WHO
    assert can or cannot
    assert name in names_of(path)


def test_there_are_claims_about_everybody() -> None:
    assert {row[0] for row in ROWS} == WHO
