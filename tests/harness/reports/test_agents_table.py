import json

import pytest

from harness.model import TrialFacts
from harness.reports.agents_table import (
    agents_json,
    agents_markdown,
    agents_table,
    agents_text,
)
from tests.harness.records import case_decision, manifest, result

FIRST = result(
    case_decision("A", ["pass", "pass"]),
    case_decision("B", ["fail", "infra_error"]),
    manifest=manifest(["A", "B"], run="r1", agent="model:openai/gpt-5"),
).model_copy(
    update={
        "facts": (
            TrialFacts("A", 1, "replied", agent_ms=1000, tokens=100, cost_usd=0.001),
            TrialFacts("A", 2, "replied", agent_ms=2000, tokens=200, cost_usd=0.003),
            TrialFacts("B", 1, "replied", agent_ms=3000),
            TrialFacts("B", 2, "infra_error", agent_ms=90_000),
        )
    }
)
SECOND = result(
    case_decision("A", ["fail"]),
    case_decision("C", ["pass"]),
    manifest=manifest(["A", "C"], run="r2", agent="command:a | `b`"),
).model_copy(update={"facts": (TrialFacts("A", 1, "agent_error", agent_ms=50),)})
TABLE = agents_table([FIRST, SECOND])


def test_runs_stand_side_by_side_and_agents_below() -> None:
    assert agents_text(TABLE) == (
        "                      [1]  [2]\n"
        "A                     2/2  0/1\n"
        "B                     0/1    -\n"
        "C                       -  1/1\n"
        "cases passed          1/2  1/2\n"
        "trials passed         2/3  1/2\n"
        "latency            2.00 s    -\n"
        "tokens a trial        150    -\n"
        "cost a trial    $0.002000    -\n"
        "\n"
        "[1] model:openai/gpt-5, run r1\n"
        "[2] command:a | `b`, run r2\n"
    )


def test_agents_break_no_table_of_markdown() -> None:
    lines = agents_markdown(TABLE).splitlines()
    assert lines[0] == r"|  | `model:openai/gpt-5` | `command:a \| 'b'` |"
    assert "| `C` | - | 1/1 |" in lines
    assert lines[-1] == "Runs: `r1`, `r2`"


@pytest.mark.parametrize(("case", "latency"), [("A", 1500.0), ("B", 3000.0)])
def test_figures_of_each_case_are_there_as_json(case: str, latency: float) -> None:
    first = json.loads(agents_json(TABLE))["columns"][0]
    assert first["by_case"][case]["latency_ms"] == latency
    assert first["total"]["valid"] == 3
