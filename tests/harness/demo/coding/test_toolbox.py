from pathlib import Path

import pytest

from harness.demo.coding import CodingFlaws, Toolbox, ToolFailedError


def test_every_use_of_a_tool_is_told(tmp_path: Path) -> None:
    tools = Toolbox(tmp_path)
    tools.write_file("src/a.txt", "one\ntwo\n")
    tools.edit_file("src/a.txt", "two", "three")
    assert tools.read_file("src/a.txt") == "one\nthree\n"
    assert tools.search_files("THREE") == {"src/a.txt": ["three"]}
    assert tools.list_files() == ["src/a.txt"]
    assert tools.run_command("cat src/a.txt; exit 4").output == "one\nthree"
    assert [(use["name"], use["status"]) for use in tools.uses] == [
        ("write_file", "ok"),
        ("edit_file", "ok"),
        ("read_file", "ok"),
        ("search_files", "ok"),
        ("list_files", "ok"),
        ("run_command", "error"),
    ]
    assert tools.last.exit_code == 4


def test_what_cannot_be_done_is_told_as_a_failure(tmp_path: Path) -> None:
    tools = Toolbox(tmp_path)
    (tmp_path / "a").write_text("x", encoding="utf-8")
    with pytest.raises(ToolFailedError, match="cannot be read"):
        tools.read_file("none")
    with pytest.raises(ToolFailedError, match="does not hold"):
        tools.edit_file("a", "y", "z")
    assert [use["status"] for use in tools.uses] == ["error", "error"]


@pytest.mark.parametrize("path", ["../a", "/etc/hostname"])
def test_nothing_outside_of_the_folder_is_read_or_written(tmp_path: Path, path: str) -> None:
    tools = Toolbox(tmp_path)
    with pytest.raises(ToolFailedError, match="outside"):
        tools.read_file(path)
    with pytest.raises(ToolFailedError, match="outside"):
        tools.write_file(path, "x")


def test_flaws_are_in_one_place_each(tmp_path: Path) -> None:
    forgetful = Toolbox(tmp_path, CodingFlaws(forgets_file=True))
    forgetful.write_file("a", "x")
    assert not (tmp_path / "a").exists()
    idle = Toolbox(tmp_path, CodingFlaws(skips_tool=True))
    assert idle.run_command("echo x").output == ""
    assert idle.uses == []
    nervous = Toolbox(tmp_path, CodingFlaws(too_many_rounds=True))
    nervous.search_files("x")
    assert [use["name"] for use in nervous.uses] == [*["list_files"] * 3, "search_files"]
