"""The native grammar of expectations: what an author writes, block by block.

Each block refuses, where it is written, what could not fail and what could never hold;
`expectations` translates it into what the checks know.
"""

from harness.cases.grammar.expect import Expect, TurnExpect
from harness.cases.grammar.patterns import PatternsBlock, WrittenPattern, pattern_clash
from harness.cases.grammar.replies import ReferenceBlock, ReplyBlock, RubricBlock, TextBlock
from harness.cases.grammar.scenario import (
    FaultList,
    PolicyRule,
    ReferenceBlocks,
    Weights,
    reference_turns,
    with_origin,
)
from harness.cases.grammar.services import ObservationsBlock, ServiceBlock
from harness.cases.grammar.trajectories import BudgetBlock, Call, StopBlock, ToolsBlock
from harness.cases.grammar.translation import expectations, rubric
from harness.cases.grammar.values import Clock, ModelName, Needle, listed, named, none_as_empty
from harness.cases.grammar.worlds import ServerBlock, StateBlock

__all__ = [
    "BudgetBlock",
    "Call",
    "Clock",
    "Expect",
    "FaultList",
    "ModelName",
    "Needle",
    "ObservationsBlock",
    "PatternsBlock",
    "PolicyRule",
    "ReferenceBlock",
    "ReferenceBlocks",
    "ReplyBlock",
    "RubricBlock",
    "ServerBlock",
    "ServiceBlock",
    "StateBlock",
    "StopBlock",
    "TextBlock",
    "ToolsBlock",
    "TurnExpect",
    "Weights",
    "WrittenPattern",
    "expectations",
    "listed",
    "named",
    "none_as_empty",
    "pattern_clash",
    "reference_turns",
    "rubric",
    "with_origin",
]
