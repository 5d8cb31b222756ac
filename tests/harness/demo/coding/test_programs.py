from collections.abc import Callable
from pathlib import Path

from harness.demo.coding import Toolbox, work_on

Folder = Callable[[str], Path]


def test_a_mistake_is_mended_where_it_is(folder: Folder) -> None:
    path = folder("fix-mean")
    said = work_on("check.py fails. Find the mistake in averages.py.", Toolbox(path)).text
    assert said.endswith("check.py says: 2 checks passed")
    assert "/ len(values)" in (path / "averages.py").read_text(encoding="utf-8")
    again = work_on("check.py fails. Find the mistake in averages.py.", Toolbox(path))
    assert (again.text, again.exit_code) == (
        "I could not do it: I see no mistake in averages.py.",
        1,
    )


def test_a_review_names_the_line_or_nothing(folder: Folder) -> None:
    path = folder("review-login")
    assert "login.py, line 7" in work_on("Review login.py.", Toolbox(path)).text
    (path / "login.py").write_text("x = 1\n", encoding="utf-8")
    assert "no problems" in work_on("Review login.py.", Toolbox(path)).text


def test_a_name_that_nobody_has_cannot_be_renamed(folder: Folder) -> None:
    tools = Toolbox(folder("rename-function"))
    said = work_on("Rename `cost` to `price` everywhere. check.py must pass.", tools).text
    assert said == "I could not do it: no file holds cost."
