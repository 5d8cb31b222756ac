"""Plan, schedule, retry, cancel, resume."""

from harness.runner.executors import LocalExecutor, TrialExecutor
from harness.runner.explanation import TrialName, explain_trial
from harness.runner.fixture_use import note_coverage
from harness.runner.fork_trees import fork_trees
from harness.runner.forks import (
    Fork,
    ModelChoice,
    ModelTurn,
    RecordedTrial,
    check_fork,
    choose_model,
    read_recorded_trial,
)
from harness.runner.history import against_baseline, is_whole, since_whole, suite_history
from harness.runner.imports import ImportTerms, import_run, redacted_results
from harness.runner.judgements import calibrate, judged_items
from harness.runner.original_reviews import OriginalResults, Range, convert_original
from harness.runner.outcomes import (
    compare_outcomes,
    outcomes_of,
    outcomes_of_review,
    read_baseline,
    stored_outcomes,
    write_baseline,
)
from harness.runner.plan import (
    PlannedTrial,
    plan_trials,
    run_id,
    select_shard,
    timestamp,
    trial_counts,
)
from harness.runner.recheck import Flip, check_recheckable, find_flips
from harness.runner.review_results import is_review, review_results
from harness.runner.run import (
    BaselineGate,
    DecisionTerms,
    FinishedTrial,
    NewRun,
    Progress,
    begin_run,
    check_unchanged,
    decide,
    merge_runs,
    missing_trials,
    perform_trials,
    perform_until_decided,
)
from harness.runner.settings import RunSettings, read_policy, settings_of
from harness.runner.trial import Clock, RunContext, check_template, prompts_of, run_trial
from harness.runner.users import Users, check_users
from harness.runner.workspace import fixture_files

__all__ = [
    "BaselineGate",
    "Clock",
    "DecisionTerms",
    "FinishedTrial",
    "Flip",
    "Fork",
    "ImportTerms",
    "LocalExecutor",
    "ModelChoice",
    "ModelTurn",
    "NewRun",
    "OriginalResults",
    "PlannedTrial",
    "Progress",
    "Range",
    "RecordedTrial",
    "RunContext",
    "RunSettings",
    "TrialExecutor",
    "TrialName",
    "Users",
    "against_baseline",
    "begin_run",
    "calibrate",
    "check_fork",
    "check_recheckable",
    "check_template",
    "check_unchanged",
    "check_users",
    "choose_model",
    "compare_outcomes",
    "convert_original",
    "decide",
    "explain_trial",
    "find_flips",
    "fixture_files",
    "fork_trees",
    "import_run",
    "is_review",
    "is_whole",
    "judged_items",
    "merge_runs",
    "missing_trials",
    "note_coverage",
    "outcomes_of",
    "outcomes_of_review",
    "perform_trials",
    "perform_until_decided",
    "plan_trials",
    "prompts_of",
    "read_baseline",
    "read_policy",
    "read_recorded_trial",
    "redacted_results",
    "review_results",
    "run_id",
    "run_trial",
    "select_shard",
    "settings_of",
    "since_whole",
    "stored_outcomes",
    "suite_history",
    "timestamp",
    "trial_counts",
    "write_baseline",
]
