from pathlib import Path

import pytest

from harness.cli.review_options import for_service, is_service, with_suite
from harness.cli.run_options import RunOptions
from harness.errors import HarnessError
from tests.harness.records import case
from tests.harness.reviews import PUBLISHED


def test_the_suite_is_the_argument_or_cases_or_where_cases_usually_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CSR-04."""
    monkeypatch.chdir(tmp_path)
    assert with_suite(RunOptions()).suite is None
    (tmp_path / "eval" / "cases").mkdir(parents=True)
    assert with_suite(RunOptions()).suite == Path("eval/cases")
    assert with_suite(RunOptions(cases=Path("a"))).suite == Path("a")
    assert with_suite(RunOptions(suite=Path("b"))).suite == Path("b")
    with pytest.raises(HarnessError, match="two suites"):
        with_suite(RunOptions(suite=Path("a"), cases=Path("b")))


def test_requests_go_to_the_service_unless_an_agent_is_named() -> None:
    """CSR-03, CSR-06."""
    assert for_service(RunOptions(), PUBLISHED).agent == "service:http://localhost:9020"
    named = for_service(RunOptions(base_url="http://h/x"), PUBLISHED)
    assert named.agent == "service:http://h/x"
    assert is_service(named)
    assert for_service(RunOptions(agent="null"), PUBLISHED).agent == "null"
    assert for_service(RunOptions(test_mode=True), PUBLISHED).agent is None
    assert for_service(RunOptions(), ()).agent is None


def test_conversations_are_not_sent_to_a_service() -> None:
    assert for_service(RunOptions(), [case()]).agent is None
    with pytest.raises(HarnessError, match="C-1 has no request"):
        for_service(RunOptions(agent="service:http://h"), [*PUBLISHED, case()])
