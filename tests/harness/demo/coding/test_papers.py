from collections.abc import Callable
from pathlib import Path

import pytest

from harness.demo.coding import Toolbox, work_on

Folder = Callable[[str], Path]


def test_facts_come_from_the_files(folder: Folder) -> None:
    path = folder("find-limit")
    asked = "From how many MiB on does the relay refuse parcels, and who, in even weeks?"
    assert work_on(asked, Toolbox(path)).text == (
        "More than 48 MiB are refused; Tomasz Brandt looks after it in even weeks."
    )
    (path / "handbook" / "relay.md").write_text(
        "Parcels of more than 31 MiB are refused by the relay.", encoding="utf-8"
    )
    assert "31 MiB" in work_on(asked, Toolbox(path)).text


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Write the section staging of settings.ini into a.json", "settings.ini cannot be read"),
        ("From how many MiB on does the relay refuse it, in odd weeks?", "nothing about the relay"),
        ("Make A.md with a heading 'x'; the number is in VERSION.", "VERSION cannot be read"),
    ],
)
def test_without_its_files_a_task_cannot_be_done(tmp_path: Path, task: str, said: str) -> None:
    outcome = work_on(task, Toolbox(tmp_path))
    assert said in outcome.text
    assert outcome.exit_code == 1


def test_a_section_that_is_not_there_is_told(folder: Folder) -> None:
    tools = Toolbox(folder("split-settings"))
    said = work_on("Write the section testing of settings.ini into a.json", tools).text
    assert said == "I could not do it: settings.ini has no section testing."
