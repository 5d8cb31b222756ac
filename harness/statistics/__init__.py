"""Honest numbers: rates, intervals, comparisons, latencies, stability; pure."""

from harness.statistics.comparison import (
    DEFAULT_TERMS,
    Outcomes,
    Terms,
    benjamini_hochberg,
    compare,
    fisher_worse,
    mcnemar,
    tarone,
)
from harness.statistics.judges import (
    FEWEST_NEGATIVES,
    Agreement,
    corrected_rate,
    judge_agreement,
    kappa,
)
from harness.statistics.power import (
    LOOKS,
    Power,
    corrected_alpha,
    detectable_drop,
    power,
    trials_needed,
)
from harness.statistics.proportions import (
    Interval,
    classify,
    clopper_pearson,
    pass_at_k,
    pass_hat_k,
    wilson,
)
from harness.statistics.quantiles import FEWEST_FOR_P95, Latency, latency, latency_text, quantile
from harness.statistics.resampling import bootstrap_mean, sign_flip
from harness.statistics.retrieval import Retrieval, RetrievalFigures, retrieval_figures
from harness.statistics.sequential import LookResult, SequentialRun, look_at
from harness.statistics.stability import (
    Items,
    Stability,
    agreement,
    first_run_stability,
    label_of,
    share_of_equal,
    stability,
)
from harness.statistics.summary import SuiteRate, suite_at_k, suite_rate, summarize

__all__ = [
    "DEFAULT_TERMS",
    "FEWEST_FOR_P95",
    "FEWEST_NEGATIVES",
    "LOOKS",
    "Agreement",
    "Interval",
    "Items",
    "Latency",
    "LookResult",
    "Outcomes",
    "Power",
    "Retrieval",
    "RetrievalFigures",
    "SequentialRun",
    "Stability",
    "SuiteRate",
    "Terms",
    "agreement",
    "benjamini_hochberg",
    "bootstrap_mean",
    "classify",
    "clopper_pearson",
    "compare",
    "corrected_alpha",
    "corrected_rate",
    "detectable_drop",
    "first_run_stability",
    "fisher_worse",
    "judge_agreement",
    "kappa",
    "label_of",
    "latency",
    "latency_text",
    "look_at",
    "mcnemar",
    "pass_at_k",
    "pass_hat_k",
    "power",
    "quantile",
    "retrieval_figures",
    "share_of_equal",
    "sign_flip",
    "stability",
    "suite_at_k",
    "suite_rate",
    "summarize",
    "tarone",
    "trials_needed",
    "wilson",
]
