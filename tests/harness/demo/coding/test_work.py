from collections.abc import Callable
from pathlib import Path

from harness.demo.coding import Toolbox, work_on


def test_a_task_without_a_rule_is_not_done(tmp_path: Path) -> None:
    outcome = work_on("Compose a sonnet.", Toolbox(tmp_path))
    assert (outcome.text, outcome.exit_code) == ("I have no rule for this task.", 1)


def test_the_exit_code_of_a_command_is_handed_on_where_that_is_asked(
    folder: Callable[[str], Path],
) -> None:
    path = folder("release-build")
    asked = "Run `sh release.sh` and report what it says."
    assert work_on(asked, Toolbox(path)).exit_code == 0
    assert work_on(f"{asked} Then exit with its exit code.", Toolbox(path)).exit_code == 3
