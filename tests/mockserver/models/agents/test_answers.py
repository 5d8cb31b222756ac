from pathlib import Path

from tests.mockserver.models.golden_answers import written_answers


def test_calls_are_answered_as_is_written_down(tmp_path: Path) -> None:
    """`python -m tests.mockserver.models.golden_answers` writes the answers anew."""
    written, answered = written_answers(Path(__file__).with_name("answers.golden.txt"), tmp_path)
    assert answered == written
