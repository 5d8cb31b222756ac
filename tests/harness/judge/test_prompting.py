from hypothesis import given
from hypothesis import strategies as st

from harness.judge.prompting import LONGEST, instructions, marker_of, material, prompt_hash
from harness.model import Judge
from tests.harness.records import reply

MARKER = marker_of("run", "case", 1)
PIECES = st.sampled_from([MARKER, "\n", "\r", "\u2028", "\x00", "| ", "=== ", "verdict", "\ud800"])


def test_the_instructions_hold_the_question_and_the_menu() -> None:
    text = instructions(
        Judge(question="Is it {so}?", criteria=("a", "b"), reference="R", menu=("pass", "no"))
    )
    for part in ("Question: Is it {so}?", "- a\n- b\n", "agrees with this:\nR", "one of: pass, no"):
        assert part in text
    assert "A good reply" not in instructions(Judge(question="q"))


def test_the_hash_is_of_the_instructions_alone() -> None:
    """To be written anew when the instructions change: every calibration is stale then."""
    assert prompt_hash() == "6bcc81e6724c"


@given(st.lists(PIECES).map("".join), st.lists(PIECES).map("".join))
def test_no_text_ends_the_material(prompt: str, said: str) -> None:
    """Pitfall 11"""
    lines = material([reply(said, prompt=prompt)], MARKER).split("\n")
    assert (lines[0], lines[-2], lines[-1]) == (MARKER, MARKER, "")
    inside = lines[1:-2]
    assert all(line.startswith("| ") for line in inside)
    assert not any(MARKER in line for line in inside)
    assert "\n".join(lines).encode()


def test_long_conversations_are_cut_in_the_middle() -> None:
    text = material([reply("x" * LONGEST + "END")], MARKER)
    assert len(text) < LONGEST + 500
    assert "characters are left out here]" in text
    assert "END" in text


def test_turns_are_told_apart() -> None:
    text = material([reply("a", turn=1), reply("b", turn=2)], MARKER)
    assert "| Agent, turn 1:\n| a\n| User, turn 2:" in text
