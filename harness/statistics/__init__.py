"""Honest numbers: rates, intervals, comparisons, latencies, stability; pure."""

from harness.statistics.comparison import (
    Outcomes,
    Terms,
    compare,
    fisher_worse,
    mcnemar,
    tarone,
)
from harness.statistics.judges import (
    FEWEST_NEGATIVES,
    judge_agreement,
)
from harness.statistics.power import (
    LOOKS,
    power,
    trials_needed,
)
from harness.statistics.proportions import (
    pass_hat_k,
    wilson,
)
from harness.statistics.quantiles import FEWEST_FOR_P95, latency, latency_text
from harness.statistics.resampling import bootstrap_mean, sign_flip
from harness.statistics.retrieval import Retrieval, RetrievalFigures, retrieval_figures
from harness.statistics.sequential import LookResult, SequentialRun, look_at
from harness.statistics.stability import (
    first_run_stability,
    label_of,
    stability,
)
from harness.statistics.summary import summarize

__all__ = [
    "FEWEST_FOR_P95",
    "FEWEST_NEGATIVES",
    "LOOKS",
    "LookResult",
    "Outcomes",
    "Retrieval",
    "RetrievalFigures",
    "SequentialRun",
    "Terms",
    "bootstrap_mean",
    "compare",
    "first_run_stability",
    "fisher_worse",
    "judge_agreement",
    "label_of",
    "latency",
    "latency_text",
    "look_at",
    "mcnemar",
    "pass_hat_k",
    "power",
    "retrieval_figures",
    "sign_flip",
    "stability",
    "summarize",
    "tarone",
    "trials_needed",
    "wilson",
]
