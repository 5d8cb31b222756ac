"""`kill -9` at random moments: what is finished is kept, what is resumed is the same run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.commands import clean_environment
from tests.acceptance.conftest import Mock
from tests.casefiles import put
from tests.patience import PATIENCE_S

KILLS = 50
SCRIPT = Path(__file__).with_name("killing.py")

CASES = [
    {
        "id": f"K-{number:03}",
        "title": "x",
        "input": said,
        "expect": {"text": {"contains": ["fine"]}},
    }
    for number, said in enumerate(("fine", "not so", "fine as well"), start=1)
]
PASSING = {"startedAt", "runId", "folder", "statistics", "session", "latency", "canaries"}
"""What differs between any two runs; canaries are of each time that trials were run."""


def lasting(value: Any) -> Any:
    """A report without names, moments and durations."""
    if isinstance(value, dict):
        return {
            name: lasting(item)
            for name, item in value.items()
            if name not in PASSING and not name.endswith("Ms")
        }
    return [lasting(item) for item in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_a_run_that_was_killed_and_resumed_gives_the_report_of_one_that_was_not(
    tmp_path: Path, mock: Mock
) -> None:
    """Pitfall 12, at fifty random moments; no finished trial is lost, none is made twice."""
    put(tmp_path / "suite" / "cases.yaml", json.dumps({"cases": CASES}))
    put(tmp_path / "suite" / "base" / "tenant.json", "{}")
    finished = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), mock.url, str(KILLS), "20261120"],
        cwd=Path(__file__).parents[2],
        env=clean_environment(PYTHONPATH=".", MOCKSERVER_TOKEN=mock.token),
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    whole, *killed = map(json.loads, finished.stdout.splitlines())
    assert len(killed) == KILLS
    assert len({one["done"] for one in killed if one["killed"] == -9}) > 3, "kills too alike"
    for one in killed:
        assert (one["code"], one["records"], one["left"]) == (whole["code"], 18, [])
        assert lasting(one["report"]) == lasting(whole["report"])
