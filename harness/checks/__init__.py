"""Pure checks of trials against expectations, and the verdicts made of them."""

from harness.checks.dispatch import check
from harness.checks.exits import Limits, exit_code, exit_reasons, regression_reasons
from harness.checks.history import history_of
from harness.checks.models import ModelError, ModelResolver, import_model
from harness.checks.policies import holds
from harness.checks.rubric import SYNONYMS
from harness.checks.runs import decide_run
from harness.checks.verdicts import decide_case, decide_trial

__all__ = [
    "SYNONYMS",
    "Limits",
    "ModelError",
    "ModelResolver",
    "check",
    "decide_case",
    "decide_run",
    "decide_trial",
    "exit_code",
    "exit_reasons",
    "history_of",
    "holds",
    "import_model",
    "regression_reasons",
]
