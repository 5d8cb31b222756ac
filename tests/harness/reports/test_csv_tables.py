import csv
import io

from harness.reports.csv_tables import CHECK_COLUMNS, TRIAL_COLUMNS, checks_csv, trials_csv
from tests.harness.example_run import example_run, good_run


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_good_run_has_one_trial_and_its_checks() -> None:
    assert trials_csv(good_run()) == (
        ",".join(TRIAL_COLUMNS) + "\n"
        "run-1,EC-001,policy,1,pass,false,,,10.0,0.0,,0.0,,,1,0,0,false\n"
    )
    assert checks_csv(good_run()) == (
        ",".join(CHECK_COLUMNS) + "\n"
        "run-1,EC-001,policy,1,,reply_schema,pass,true,\n"
        "run-1,EC-001,policy,1,,rubric,pass,true,\n"
    )


def test_every_trial_and_every_check_has_its_row_in_run_order() -> None:
    run = example_run()
    trials = [trial for decision in run.decisions for trial in decision.trials]
    assert [(row["case"], int(row["trial"])) for row in rows(trials_csv(run))] == [
        (trial.case, trial.number) for trial in trials
    ]
    assert len(rows(checks_csv(run))) == sum(len(trial.checks) for trial in trials)
    failed = next(row for row in rows(trials_csv(run)) if row["case"] == "EC-002")
    assert failed["classes"] == "schema mismatch; missing evidence; low rubric score"


def test_no_cell_is_a_formula_and_no_row_breaks() -> None:
    run = good_run()
    trial = (
        run.decisions[0]
        .trials[0]
        .model_copy(update={"reason": '=HYPERLINK("http://example.com")\n,"\x1b'})
    )
    decision = run.decisions[0].model_copy(update={"trials": (trial,)})
    (row,) = rows(trials_csv(run.model_copy(update={"decisions": (decision,)})))
    assert row["reason"] == '\'=HYPERLINK("http://example.com") ,"\\x1b'


def test_a_trial_without_figures_has_empty_ones() -> None:
    (row,) = rows(trials_csv(good_run().model_copy(update={"facts": ()})))
    assert (row["status"], row["duration_ms"], row["synthetic"]) == ("pass", "", "")
