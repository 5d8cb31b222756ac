"""Trees of forks as text."""

from harness.model import ForkNode, ForkOrigin
from harness.reports.forks import describe_fork, fork_lines, forks_text


def origin(turn: int, model: str = "", prompt: str | None = None) -> ForkOrigin:
    return ForkOrigin(run="r1", case="C", number=1, turn=turn, model=model, prompt=prompt)


LEAF = ForkNode(
    run="r4", case="C", fork=origin(4), verdict="flaky", passed=1, valid=2, cost_usd=0.5
)
TREE = ForkNode(
    run="r1", case="C", number=1, verdict="fail", tokens=12,
    forks=(
        ForkNode(run="r2", case="C", fork=origin(2, "openai/a"), verdict="passed", passed=1,
                 valid=1, forks=(LEAF,)),
        ForkNode(run="r3", case="C", fork=origin(2, prompt="Be brief.\n" * 9)),
    ),
)  # fmt: skip


def test_each_fork_stands_below_what_it_was_forked_from() -> None:
    assert forks_text((TREE,), "r4") == (
        "C, trial 1: fail, 12 tokens (run r1)\n"
        "├─ from turn 2: openai/a: passed 1/1 (run r2)\n"
        "│  └─ from turn 4: the same model: flaky 1/2, 0.5000 USD (run r4) <\n"
        "└─ from turn 2: the same model, prompt 'Be brief. Be brief. Be brief. Be brie...':"
        " not decided 0/0 (run r3)\n"
    )


def test_lines_say_how_deep_and_how_good_they_are() -> None:
    assert [(each.depth, each.tone) for each in fork_lines((TREE,))] == [
        (0, "bad"), (1, "good"), (2, "warn"), (1, "warn"),
    ]  # fmt: skip


def test_a_prompt_is_told_in_short() -> None:
    assert describe_fork(origin(3, "m", "Hi")) == "from turn 3: m, prompt 'Hi'"
