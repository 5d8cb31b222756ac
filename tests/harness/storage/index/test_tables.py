from harness.storage import Baseline, CaseSummary, RunSummary
from harness.storage.index.tables import baselines, cases, runs


def test_every_field_of_a_row_has_its_column() -> None:
    assert set(RunSummary.model_fields) - {"baseline"} <= set(runs.columns.keys())
    assert set(CaseSummary.model_fields) - {"statuses"} <= set(cases.columns.keys())
    assert set(Baseline.model_fields) <= set(baselines.columns.keys())
