"""Unchanged agents on a declared API, in its own name over HTTPS: the good pass, the liars fail."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.acceptance.commands import harness

SUITE = Path(__file__).parents[2] / "fixtures" / "travel"
PROGRAMS = Path(__file__).parent / "programs"
AGENTS = {
    "requests": f"{sys.executable} {PROGRAMS / 'travel_requests.py'}",
    "fetch": f"node {PROGRAMS / 'travel_fetch.mjs'}",
}


@pytest.mark.parametrize("client", sorted(AGENTS))
@pytest.mark.parametrize(("kind", "passed"), [("good", 3), ("liar", 0)])
def test_good_agents_pass_and_liars_fail(
    client: str, kind: str, passed: int, tmp_path: Path
) -> None:
    if client == "fetch" and shutil.which("node") is None:
        pytest.skip("there is no Node here")
    agent = f"command:{AGENTS[client]} {kind}"
    done = harness(tmp_path, "run", str(SUITE), "--agent", agent, "--intercept")
    assert done.code == (0 if passed else 1), done.said
    assert f"cases  {passed}/3" in done.said


def test_the_world_is_declared_in_under_40_lines() -> None:
    (declaration,) = (SUITE / "apis").iterdir()
    assert len(declaration.read_text(encoding="utf-8").splitlines()) < 40
