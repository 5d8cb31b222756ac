from harness.storage.index.rows import IndexedBaseline, IndexedCase, IndexedRun
from harness.storage.index.tables import baselines, cases, runs


def test_every_field_of_a_row_has_its_column() -> None:
    assert set(IndexedRun.model_fields) - {"baseline"} <= set(runs.columns.keys())
    assert set(IndexedCase.model_fields) - {"statuses"} <= set(cases.columns.keys())
    assert set(IndexedBaseline.model_fields) <= set(baselines.columns.keys())
