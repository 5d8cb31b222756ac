from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import Baselines, promote
from tests.runfolders import stored_run


def test_a_finished_run_is_made_the_baseline_of_its_suite(tmp_path: Path) -> None:
    """CTX-21"""
    folder = stored_run(tmp_path, "1", {"A": [True, False]})
    made = promote(tmp_path, folder.path, set_at="2026-11-20T10:00:00Z", note="release")
    assert (made.run, made.suite, made.agent) == ("1", "office", "echo")
    assert Baselines(tmp_path).of("office") == made


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"passes": {"A": [None]}}, "no valid trial"),
        ({"passes": {"A": [True]}, "trials": {"A": 2}}, r"unfinished.*harness run --resume"),
        ({"passes": {"A": [True]}, "decided": False}, "unfinished"),
    ],
    ids=["infrastructure", "interrupted", "undecided"],
)
def test_a_run_that_says_nothing_is_no_baseline(
    tmp_path: Path, facts: dict[str, object], why: str
) -> None:
    """Pitfall 5"""
    folder = stored_run(tmp_path, "1", **facts)  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match=why):
        promote(tmp_path, folder.path, set_at="")
    assert Baselines(tmp_path).all() == ()
