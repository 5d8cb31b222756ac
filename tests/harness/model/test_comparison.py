from harness.model import CaseComparison, Comparison


def test_cases_are_found_by_their_flag() -> None:
    worse = CaseComparison(case="a", before=(3, 3), after=(0, 3), delta=-1.0, flag="broken")
    same = CaseComparison(case="b", before=(3, 3), after=(3, 3), delta=0.0)
    found = Comparison(baseline="r1", candidate="r2", cases=(worse, same))
    assert found.flagged("broken", "suspect") == (worse,)
