"""What many expressions and statements come to: values, or why they are refused."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mockserver.model import JsonObject
from tests.mockserver.apis.bigquery.conftest import Warehouse, plain

GOLDEN = Path(__file__).with_name("expressions.golden.txt")
"""Expressions, those beside numerics, and statements, parted by empty lines: each with what it
comes to. Expressions are computed together."""


def _answer(shop: Warehouse, sql: str) -> str:
    answer = shop.http.post("/queries", json={"query": sql, "useLegacySql": False})
    told = answer.json()
    if answer.is_error:
        error = told["error"]
        return f"{answer.status_code} {error['errors'][0]['reason']}: {error['message']}"
    rows = json.dumps(plain(told.get("rows", ())), ensure_ascii=False)
    return f"{' '.join(_kinds(told))} {rows} {told.get('numDmlAffectedRows', '')}".strip()


def _kinds(told: JsonObject) -> list[str]:
    fields = told.get("schema", {}).get("fields", ())
    return [f"{'[]' * (each.get('mode') == 'REPEATED')}{each['type']}" for each in fields]


def _parts() -> list[list[list[str]]]:
    parts = GOLDEN.read_text(encoding="utf-8").split("\n\n")
    return [[line.split("\t") for line in part.splitlines()] for part in parts]


@pytest.mark.parametrize("part", [0, 1])
def test_expressions_come_to_their_values(shop: Warehouse, part: int) -> None:
    expressions = _parts()[part]
    for start in range(0, len(expressions), 50):
        some = expressions[start : start + 50]
        told = shop.query("SELECT " + ", ".join(sql.removeprefix("SELECT ") for sql, _ in some))
        [values] = plain(told["rows"])
        shown = [
            f"{kind} {json.dumps([[value]], ensure_ascii=False)}"
            for kind, value in zip(_kinds(told), values, strict=True)
        ]
        assert shown == [value for _, value in some]


@pytest.mark.slow
def test_statements_do_what_is_written_down(shop: Warehouse) -> None:
    """`python -m tests.mockserver.apis.bigquery.test_expressions` writes all of it anew."""
    statements = _parts()[2]
    assert [[sql, _answer(shop, sql)] for sql, *_ in statements] == statements


def _write() -> None:
    with TemporaryDirectory() as folder:
        shop = Warehouse(Path(folder, "suite"))
        with shop.http:
            made = (
                "\n".join(f"{sql}\t{_answer(shop, sql)}" for sql, *_ in part) for part in _parts()
            )
            GOLDEN.write_text("\n\n".join(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
