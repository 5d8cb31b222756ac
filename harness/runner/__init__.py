"""Plan, schedule, retry, cancel, resume."""

from harness.runner.baseline_files import read_baseline, write_baseline
from harness.runner.judged import Judged, calibrated, judged_items
from harness.runner.merging import merge
from harness.runner.original_reviews import OriginalResults, Range, from_original
from harness.runner.outcomes import compared, looked, outcomes_of, stored_outcomes
from harness.runner.past import against_baseline, is_whole, since_whole, suite_history
from harness.runner.plan import PlannedTrial, plan_trials, run_id, timestamp, trial_counts
from harness.runner.prompts import check_template, prompts_of
from harness.runner.recheck import Flip, flips, recheckable
from harness.runner.review_outcomes import outcomes_of_review
from harness.runner.reviewing import is_review, review_results
from harness.runner.run import (
    Against,
    Held,
    Order,
    Progress,
    begin,
    check_unchanged,
    decide,
    missing,
    perform,
)
from harness.runner.settings import RunSettings, read_policy, settings_of
from harness.runner.sharding import shard_of
from harness.runner.topping import perform_until_decided
from harness.runner.trial import Clock, RunContext, run_trial
from harness.runner.workspace import fixture_files

__all__ = [
    "Against",
    "Clock",
    "Flip",
    "Held",
    "Judged",
    "Order",
    "OriginalResults",
    "PlannedTrial",
    "Progress",
    "Range",
    "RunContext",
    "RunSettings",
    "against_baseline",
    "begin",
    "calibrated",
    "check_template",
    "check_unchanged",
    "compared",
    "decide",
    "fixture_files",
    "flips",
    "from_original",
    "is_review",
    "is_whole",
    "judged_items",
    "looked",
    "merge",
    "missing",
    "outcomes_of",
    "outcomes_of_review",
    "perform",
    "perform_until_decided",
    "plan_trials",
    "prompts_of",
    "read_baseline",
    "read_policy",
    "recheckable",
    "review_results",
    "run_id",
    "run_trial",
    "settings_of",
    "shard_of",
    "since_whole",
    "stored_outcomes",
    "suite_history",
    "timestamp",
    "trial_counts",
    "write_baseline",
]
