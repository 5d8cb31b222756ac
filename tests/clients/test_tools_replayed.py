"""Agents of five frameworks whose tools ask a database: recorded once, then played without it."""

import json
import os
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.client import MockServer
from mockserver.messages.mcp_calls import is_mcp
from mockserver.model import SessionSpec
from tests.clients.interpreters import interpreter_with
from tests.clients.packages import packages_of_frameworks
from tests.clients.test_frameworks import FRAMEWORKS, PROGRAMS, ROOT, run, spec
from tests.warm import run as run_warm

SHOP = Path(__file__).parent / "suites" / "shop-agents"
PROMPT = "Refund order A1."

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def packages() -> Path:
    found = packages_of_frameworks()
    if isinstance(found, str):
        pytest.skip(found)
    return found


async def record(name: str, packages: Path, folder: Path) -> Path:
    """The calls of an agent's tools, recorded with the database behind them."""
    program = PROGRAMS / f"shop_{name.replace('-', '_')}.py"
    made = folder / "made.yaml"
    async with await MockServer.start(SHOP, options=["--no-proxy"]) as server:
        info = await server.open(SessionSpec(id="shop"))
        environ = {**os.environ, **info.env, "SHOP_DB": str(folder / "shop.db")}
        environ |= {"PYTHONPATH": f"{packages}:{ROOT}", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
        environ["PATH"] = f"{interpreter_with(name, packages).parent}:{environ['PATH']}"
        command = ("record", "--cassette", str(made), "--", "python", str(program), PROMPT)
        done = run_warm("understudy", *command, timeout=300, cwd=folder, env=environ)
    assert (done.returncode, "Refunded 40" in done.stdout) == (0, True), done.stdout + done.stderr
    cassette = read_cassette(made)
    tools = tuple(each for each in cassette.interactions if is_mcp(each))
    assert [each.request.method for each in tools] == ["QUERY", "POST"]
    suite = shutil.copytree(SHOP, folder / "shop-agents")
    (suite / "cassettes").mkdir()
    write_cassette(replace(cassette, interactions=tools), suite / "cassettes" / "tools.yaml")
    return suite


def refunds(database: Path) -> list[tuple[str, int]]:
    return sqlite3.connect(database).execute("select id, amount from refunds").fetchall()


@pytest.mark.parametrize("name", FRAMEWORKS)
async def test_a_second_refund_is_found_without_the_database(
    name: str, packages: Path, tmp_path: Path
) -> None:
    suite = await record(name, packages, tmp_path)
    assert refunds(tmp_path / "shop.db") == [("A1", 40)]
    none = tmp_path / "none.db"
    agent = spec(name, PROGRAMS, "shop")
    code, made = run(suite, agent, packages, tmp_path / "played", "--env", f"SHOP_DB={none}")
    printed = (made.parent / "printed.txt").read_text()
    cases = json.loads((made / "report.json").read_bytes())["cases"]
    told = {each["caseId"]: each["verdict"] for each in cases}
    assert (code, told) == (1, {"REFUND": "passed", "HASTY": "failed"}), printed
    assert "1 extra calls, 0 allowed: 'refund_order'" in printed
    assert not none.exists()
    assert refunds(tmp_path / "shop.db") == [("A1", 40)]
