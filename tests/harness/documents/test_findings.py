from harness.documents import Findings
from harness.errors import CaseProblem


def test_errors_and_warnings_are_kept_in_the_order_they_were_found() -> None:
    findings = Findings()
    findings.warning("a.yaml:1", "odd")
    findings.error("a.yaml:2", "wrong", "write it right")
    assert findings.problems == [
        CaseProblem("a.yaml:1", "odd", level="warning"),
        CaseProblem("a.yaml:2", "wrong", "write it right"),
    ]
