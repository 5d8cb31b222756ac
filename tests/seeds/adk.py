"""Trajectories and replies, held against ADK's own evaluators.

ADK is installed into an environment of its own, below the scratch folder or where UNDERSTUDY_ADK
names one with it, and judges there: nothing of it is imported here.
"""

import json
import os
import random
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.cases import read_suite
from harness.checks import check
from harness.model import Reference, ToolCall, ToolCalls
from tests.harness.records import record, reply
from tests.seeds.rows import Row

TRIALS = 600
MODES = ("EXACT", "IN_ORDER", "ANY_ORDER")

PROGRAM = Path(__file__).with_name("adk_program.py")

_NAMES = ("list_log_entries", "query_metrics", "get_trace")
_ARGS: tuple[dict[str, Any], ...] = (
    {},
    {"project": "demo"},
    {"project": "demo", "limit": 10},
    {"project": "demo", "limit": None},
    {"project": "demo", "limit": 10.0},
    {"filter": {"severity": "ERROR", "labels": None}},
    {"ids": [1, 2]},
    {"ids": [2, 1]},
    {"contains": "x"},
    {"present": True},
)
_WORDS = ("the", "pool", "is", "exhausted", "exhaust", "connections", "connection", "OOM", "42")


def rows(scratch: Path) -> Iterator[Row]:
    """600 trajectories in three modes, and 600 replies."""
    python = _python(scratch)
    if isinstance(python, str):
        yield Row("adk: trajectories and replies", 0, 0, skipped=python)
        return
    trials = generated(TRIALS)
    asked = json.dumps(trials).encode()
    told = subprocess.run([str(python), str(PROGRAM)], input=asked, capture_output=True, check=True)
    verdicts = json.loads(told.stdout)
    for mode in MODES:
        theirs = verdicts[mode]
        ours = trajectories(trials, mode, scratch)
        wrong = [
            f"theirs {there}, ours {here}: {trial['expected']} / {trial['actual']}"
            for trial, here, there in zip(trials, ours, theirs, strict=True)
            if here != there
        ]
        yield Row(f"adk: trajectories, {mode}", TRIALS - len(wrong), TRIALS, tuple(wrong[:5]))
    scores = verdicts["rouge"]
    apart = [
        f"theirs {there}, ours {here}: {trial['reference']!r} / {trial['reply']!r}"
        for trial, there in zip(trials, scores, strict=True)
        if (here := _replied(trial)) != there
    ]
    yield Row("adk: replies at a threshold", TRIALS - len(apart), TRIALS, tuple(apart[:5]))


def generated(count: int) -> list[dict[str, Any]]:
    """Random calls that are expected and made, and replies near the expected one."""
    draw = random.Random(7)
    trials = []
    for _ in range(count):
        expected = [_call(draw) for _ in range(draw.randint(0, 4))]
        actual = [dict(call) for call in expected if draw.random() < 0.9]
        if draw.random() < 0.3:
            draw.shuffle(actual)
        for _ in range(draw.choice((0, 0, 1, 2))):
            actual.insert(draw.randint(0, len(actual)), _call(draw))
        reference = draw.choices(_WORDS, k=draw.randint(1, 12))
        said = [word for word in reference if draw.random() < 0.8] or ["no"]
        said += draw.choices(_WORDS, k=draw.choice((0, 0, 1, 3)))
        trials.append(
            {
                "expected": expected,
                "actual": actual,
                "reference": " ".join(reference),
                "reply": draw.choice((" ", ", ")).join(said),
                "threshold": draw.choice((0.3, 0.5, 0.6, 2 / 3, 0.75, 0.8, 6 / 7, 1.0)),
            }
        )
    return trials


def _call(draw: random.Random) -> dict[str, Any]:
    return {"name": draw.choice(_NAMES), "args": draw.choice(_ARGS)}


def trajectories(trials: list[dict[str, Any]], mode: str, scratch: Path) -> list[bool]:
    """Our verdicts on the trajectories, the expected ones read from an EvalSet."""
    folder = scratch / f"evalset-{mode}"
    folder.mkdir()
    cases = [_eval_case(f"c{number}", trial) for number, trial in enumerate(trials)]
    (folder / "made.test.json").write_text(json.dumps({"eval_cases": cases}), "utf-8")
    criterion = {"threshold": 1.0, "match_type": mode}
    config = {"criteria": {"tool_trajectory_avg_score": criterion}}
    (folder / "test_config.json").write_text(json.dumps(config), "utf-8")
    read = {case.id: case for case in read_suite(folder).cases}
    return [_holds(read[f"c{number}"], trial) for number, trial in enumerate(trials)]


def _eval_case(id: str, trial: dict[str, Any]) -> dict[str, Any]:
    uses = [{"id": None, **call} for call in trial["expected"]]
    turn = {
        "user_content": {"parts": [{"text": "Go."}], "role": "user"},
        "intermediate_data": {"tool_uses": uses},
    }
    return {"eval_id": id, "conversation": [turn]}


def _holds(case: Any, trial: dict[str, Any]) -> bool:
    calls = [ToolCall(name=call["name"], args=call["args"]) for call in trial["actual"]]
    held = [each for each in case.expect if isinstance(each, ToolCalls)]
    return all(check(record(reply("done", *calls)), each).status == "pass" for each in held)


def _replied(trial: dict[str, Any]) -> bool:
    expected = Reference(
        text=trial["reference"], min_similarity=trial["threshold"], measure="rouge1"
    )
    return check(record(reply(trial["reply"])), expected).status == "pass"


def _python(scratch: Path) -> Path | str:
    """The interpreter of an environment with ADK, or why there is none."""
    if named := os.environ.get("UNDERSTUDY_ADK"):
        return Path(named)
    made = scratch / "adk"
    venv.create(made, with_pip=True)
    python = made / "bin" / "python"
    wanted = [str(python), "-m", "pip", "install", "--quiet", "google-adk", "rouge-score"]
    try:
        subprocess.run(wanted, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"google-adk cannot be installed: {error}"
    return python if python.is_file() else f"no {python}; {sys.executable} made none"
