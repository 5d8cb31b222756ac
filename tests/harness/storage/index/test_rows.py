from harness.storage.index import IndexedRun


def test_rows_are_json_in_camel_case_and_back() -> None:
    run = IndexedRun(run="1", suite="office", suite_path="fixtures/office", agent="echo", rate=0.5)
    said = run.model_dump(by_alias=True)
    assert {"suitePath", "startedAt", "passedCases", "rate"} <= set(said)
    assert IndexedRun.model_validate(said) == run
