from pathlib import Path

import pytest

from tests.transcripts import Step, run, steps


def test_commands_and_what_they_show_are_read_from_console_blocks() -> None:
    document = "text\n```console\n$ echo a \\\n  b\na b\n$ true\n```\n```sh\n$ not this\n```\n"
    assert steps(document) == [Step("echo a b", "a b\n"), Step("true", "")]


@pytest.mark.parametrize(
    ("shown", "output", "matches"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...", "a", True),
        ("took ... ms", "took 3 ms", True),
        ("a", "a\nb", False),
        ("a (b)", "a (b)", True),
        ("...\nb", "a\nb\n\n", True),
    ],
    ids=str,
)
def test_three_dots_stand_for_anything(shown: str, output: str, *, matches: bool) -> None:
    assert Step("x", shown).matches(output) is matches


def test_all_commands_run_in_one_shell(tmp_path: Path) -> None:
    script = [Step("export A=1", ""), Step("echo $A $B", "1 2"), Step("nope-such-command", "...")]
    outputs = run(script, folder=tmp_path, environment={"B": "2"})
    assert [step.matches(output) for step, output in zip(script, outputs, strict=True)] == [
        True,
        True,
        True,
    ]
