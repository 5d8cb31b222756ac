from harness.storage import RunSummary


def test_rows_are_json_in_camel_case_and_back() -> None:
    run = RunSummary(run="1", suite="office", suite_path="fixtures/office", agent="echo", rate=0.5)
    said = run.model_dump(by_alias=True)
    assert {"suitePath", "startedAt", "passedCases", "rate"} <= set(said)
    assert RunSummary.model_validate(said) == run
