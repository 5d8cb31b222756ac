from harness.model import PastRun, SuiteHistory


def test_runs_since_the_last_of_the_whole_suite_are_counted() -> None:
    """CEP-81"""
    runs = tuple(PastRun(run=f"r{number}", cases={}) for number in range(4))
    assert SuiteHistory(suite="s", agent="a", runs=runs, last_whole="r1").parts_since == 2
    assert SuiteHistory(suite="s", agent="a", runs=runs).parts_since == 4
