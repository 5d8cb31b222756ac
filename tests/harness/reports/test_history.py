from inline_snapshot import snapshot

from harness.model import PastCase, PastRun, SuiteHistory
from harness.reports import history_text, whole_line
from harness.verdicts import history_of


def past(run: str, *, whole: bool = False, **passes: int) -> PastRun:
    cases = {
        case: PastCase(
            verdict="passed" if passed == 3 else "flaky" if passed else "failed",
            passed=passed,
            valid=3,
            reason="" if passed == 3 else "no\nsuch unit",
        )
        for case, passed in passes.items()
    }
    return PastRun(run=run, whole=whole, cases=cases)


FOUND = history_of(
    "office",
    "echo",
    [past("r1", whole=True, A=0, B=3, C=2), past("r2", A=3), past("r3", C=0)],
)


def test_open_cases_are_listed_with_what_they_did_before() -> None:
    """CEP-84, CEP-81"""
    assert history_text(FOUND) == snapshot("""\
office by echo: 1 open, 3 runs
C  f.F  0/3 since r1: no such unit
P passed, f flaky, F failed, ? no verdict, s skipped, . not in that run; newest last
2 runs of parts of the suite since all of it was run (r1): run all of it again
mended, and the rest not run since: A (r2)
""")


def test_all_cases_are_listed_on_demand() -> None:
    assert "B  P..  3/3\n" in history_text(FOUND, whole=True)


def test_a_suite_without_anything_open_is_one_line() -> None:
    clean = history_of("office", "echo", [past("r1", whole=True, A=3)])
    assert history_text(clean) == "office by echo: 0 open, 1 runs\n"


def test_a_case_that_nobody_could_try_has_no_counts() -> None:
    lost = PastRun(run="r1", whole=True, cases={"A": PastCase(verdict="inconclusive")})
    found: SuiteHistory = history_of("office", "echo", [lost])
    assert "A  ?  0/0" in history_text(found, whole=True)


def test_that_the_whole_suite_was_never_run_is_told() -> None:
    """CEP-81"""
    assert whole_line("", 1).startswith("1 run of parts of the suite, and none of all of it")
    assert "(r1)" in whole_line("r1", 2)
