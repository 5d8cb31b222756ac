"""`test_config.json`: which scores of an EvalSet are gates, and how high they must be.

A gate that no score can fail (`0.0`) or reach (above 1) is an error. Scores that only a model can
give are told as warnings, for no gate is passed in silence.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.cases.sre.evalset import Rubric, without_nulls
from harness.cases.validation import validated
from harness.documents import Document, Findings, Pointer
from harness.model import Frozen, Json, JsonObject, TrajectoryMode
from mockserver.model import did_you_mean

CONFIG = "test_config.json"

TRAJECTORY = "tool_trajectory_avg_score"
RESPONSE = "response_match_score"
RUBRICS = ("rubric_based_final_response_quality_v1", "rubric_based_tool_use_quality_v1")
_JUDGED = (
    *("final_response_match_v2", "hallucinations_v1", "safety_v1", "response_evaluation_score"),
    "per_turn_user_simulator_quality_v1",
)
_KNOWN = (TRAJECTORY, RESPONSE, *RUBRICS, *_JUDGED)
_MODES: Mapping[str, TrajectoryMode] = {
    "EXACT": "exact",
    "IN_ORDER": "in_order",
    "ANY_ORDER": "any_order",
}
_HIGHEST = {"response_evaluation_score": 5.0}
_LOWEST = {"response_evaluation_score": 1.0}


class CriterionBlock(Frozen):
    """A criterion that is more than a number.

    Attributes:
        threshold: The least score that passes.
        min: The same, in our words.
        match_type: Of trajectories: `EXACT`, `IN_ORDER` or `ANY_ORDER`.
        ignore_args: Of trajectories: arguments do not matter.
        rubrics: What a judge looks for.
        judge_model_options: Of scores that a model gives; nothing looks at it.
        evaluate_intermediate_nl_responses: The same.
    """

    threshold: float | None = None
    min: float | None = None
    match_type: Literal["EXACT", "IN_ORDER", "ANY_ORDER"] = "EXACT"
    ignore_args: bool = False
    rubrics: tuple[Rubric, ...] = ()
    judge_model_options: Json = None
    evaluate_intermediate_nl_responses: bool = False


class ConfigFile(Frozen):
    """What `test_config.json` holds.

    Attributes:
        criteria: Name to a number, or to an object with `threshold`.
    """

    criteria: dict[str, Json]


@dataclass(frozen=True)
class Criteria:
    """The gates of a folder's EvalSets.

    Attributes:
        trajectory: The least mean share of turns whose tool calls match; None does not matter.
        mode: How the calls of a turn are held against the expected ones.
        ignores_args: Whether their arguments do not matter.
        response: The least similarity of each reply to the expected one; None does not matter.
        rubrics: Criteria that a judge decides, and the least share of them.
    """

    trajectory: float | None = None
    mode: TrajectoryMode = "exact"
    ignores_args: bool = False
    response: float | None = None
    rubrics: tuple[tuple[str, ...], float] | None = None


DEFAULT = Criteria(trajectory=1.0, response=0.8)
"""What ADK asks for where a folder says nothing."""


def read_criteria(document: Document, findings: Findings) -> Criteria:
    """The gates that a config names; what is wrong in it is noted."""
    document = Document(document.name, without_nulls(document.value))
    config = validated(ConfigFile, document, (), findings)
    blocks = {} if config is None else _blocks(config.criteria, document, findings)
    trajectory, response = blocks.get(TRAJECTORY), blocks.get(RESPONSE)
    return Criteria(
        trajectory=None if trajectory is None else trajectory.threshold,
        mode="exact" if trajectory is None else _MODES[trajectory.match_type],
        ignores_args=trajectory is not None and trajectory.ignore_args,
        response=None if response is None else response.threshold,
        rubrics=_rubrics(blocks),
    )


def least_met(criteria: int, share: float) -> int:
    """How many of so many criteria a share asks for, at least one.

    >>> least_met(3, 0.8), least_met(5, 0.6)
    (3, 3)
    """
    return max(1, math.ceil(criteria * share - 1e-9))


def _blocks(
    criteria: JsonObject, document: Document, findings: Findings
) -> dict[str, CriterionBlock]:
    found = {}
    for name in criteria:
        pointer = ("criteria", name)
        if name not in _KNOWN:
            hint = did_you_mean(name, _KNOWN)
            findings.error(document.where(pointer), f"unknown criterion {name!r}", hint)
            continue
        block = _block(criteria[name], document, pointer, findings)
        if block is not None and _is_gate(name, block, document.where(pointer), findings):
            found[name] = block
    return found


def _block(
    value: Json, document: Document, pointer: Pointer, findings: Findings
) -> CriterionBlock | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return CriterionBlock(threshold=value)
    block = validated(CriterionBlock, document, pointer, findings)
    if block is None:
        return None
    if (block.threshold is None) == (block.min is None):
        findings.error(document.where(pointer), "needs 'threshold' (or 'min'), one of them")
        return None
    least = block.min if block.threshold is None else block.threshold
    return block.model_copy(update={"threshold": least})


def _is_gate(name: str, block: CriterionBlock, where: str, findings: Findings) -> bool:
    least = block.threshold or 0.0
    if least <= _LOWEST.get(name, 0.0):
        hint = f"every score is at least {_LOWEST.get(name, 0.0):g}: ask for more, or leave it out"
        findings.warning(where, f"{name}: a minimum of {least:g} can never fail", hint)
        return False
    if least > _HIGHEST.get(name, 1.0):
        highest = _HIGHEST.get(name, 1.0)
        findings.error(where, f"{name}: no score reaches {least:g}; the highest is {highest:g}")
        return False
    if name in _JUDGED:
        findings.warning(where, f"{name} is a model's judgement and decides nothing here")
    if name in RUBRICS:
        if not block.rubrics:
            findings.error(where, f"{name} has no rubrics")
            return False
        findings.warning(where, f"{name}: its rubrics are informational, for a model judges them")
    return True


def _rubrics(blocks: Mapping[str, CriterionBlock]) -> tuple[tuple[str, ...], float] | None:
    given = [blocks[name] for name in RUBRICS if name in blocks]
    if not given:
        return None
    texts = [each.rubric_content.text_property for block in given for each in block.rubrics]
    return tuple(dict.fromkeys(texts)), max(block.threshold or 0 for block in given)
