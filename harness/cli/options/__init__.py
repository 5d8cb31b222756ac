"""The options of `harness run`, a module for each group of them."""

from harness.cli.options.agent import CHAT_URL, AgentOptions
from harness.cli.options.cases import CaseOptions
from harness.cli.options.gates import GateOptions
from harness.cli.options.judges import JudgeOptions
from harness.cli.options.option import option
from harness.cli.options.replays import ReplayOptions
from harness.cli.options.stored import StoreOptions
from harness.cli.options.trials import TrialOptions
from harness.cli.options.world import WorldOptions

__all__ = [
    "CHAT_URL",
    "AgentOptions",
    "CaseOptions",
    "GateOptions",
    "JudgeOptions",
    "ReplayOptions",
    "StoreOptions",
    "TrialOptions",
    "WorldOptions",
    "option",
]
