from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents.model_loop.rules import CompletionTool, Condition, Loop, Phase, Step, read_loop
from harness.errors import InvalidCasesError

CHEAP = Step(text="Cause: x.", tools=("get_units",), tokens=100, cost_usd=0.1)
LAST = Step(text="Cause: y. Next: z.", tools=("diagnose",), tokens=50, cost_usd=0.2)
FREE = Step(tokens=5)


@pytest.mark.parametrize(
    ("condition", "steps", "holds"),
    [
        ({"steps": 2}, [CHEAP], False),
        ({"steps": 2}, [CHEAP, LAST], True),
        ({"text": "Cause:"}, [FREE, CHEAP], True),
        ({"text": ["Cause:", "Next:"]}, [CHEAP], False),
        ({"text": ["Cause:", "Next:"]}, [CHEAP, LAST], True),
        ({"tool": "diag*"}, [CHEAP], False),
        ({"tool": "diag*"}, [CHEAP, LAST], True),
        ({"tokens": 150}, [CHEAP], False),
        ({"tokens": 150}, [CHEAP, LAST], True),
        ({"cost_usd": 0.25}, [CHEAP, LAST], True),
        ({"cost_usd": 0.25}, [CHEAP, LAST, FREE], False),
        ({"any": [{"steps": 9}, {"tool": "diagnose"}]}, [LAST], True),
        ({"all": [{"steps": 9}, {"tool": "diagnose"}]}, [LAST], False),
        ({"steps": 1, "tool": "get_units"}, [LAST], False),
    ],
)
def test_a_condition_holds_when_all_that_it_names_came_about(
    condition: Any, steps: list[Step], holds: bool
) -> None:
    assert Condition.model_validate(condition).holds(steps) is holds


STEPS = st.lists(
    st.builds(
        Step,
        text=st.sampled_from(["", "Cause:", "Cause: Next:"]),
        tools=st.lists(st.sampled_from(["get", "diagnose"])).map(tuple),
        tokens=st.integers(0, 99),
        cost_usd=st.sampled_from([0.0, 0.1]),
    )
)
LEAVES = st.sampled_from(
    [Condition(steps=2), Condition(text=("Next:",)), Condition(tool="get"), Condition(tokens=90)]
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        .map(tuple)
        .flatmap(lambda many: st.sampled_from([Condition(all=many), Condition(any=many)]))
    ),
    max_leaves=5,
)


@given(CONDITIONS, STEPS, STEPS)
def test_what_came_about_stays_so(
    condition: Condition, steps: list[Step], more: list[Step]
) -> None:
    assert not condition.holds(steps) or condition.holds([*steps, *more])


def test_the_last_phase_that_has_begun_decides() -> None:
    loop = Loop(
        phases=(
            Phase(tools=("get*",)),
            Phase(first_step=1, when=Condition(tool="get_units"), model="openai/gpt-5"),
            Phase(first_step=2, tool_choice="required", tools=("diagnose",)),
        ),
        completion={"diagnose": CompletionTool()},
        tools=("get*", "set*"),
    )
    names = ["get_units", "set_unit", "drop"]
    offered = [
        loop.offered(names, loop.phase(steps)) for steps in ([], [FREE], [CHEAP], [CHEAP, CHEAP])
    ]
    assert offered == [
        ["get_units"],
        ["get_units"],
        ["get_units", "set_unit", "diagnose"],
        ["diagnose"],
    ]
    assert loop.phase([CHEAP]).model == "openai/gpt-5"
    assert Loop().offered(names, Phase()) == names


@pytest.mark.parametrize(
    ("stop", "steps", "reason"),
    [
        ((), [FREE], ""),
        ((), [FREE] * 20, "stopped: max_steps"),
        ([{"tokens": 5}], [FREE], "stopped: tokens 5"),
        (
            [{"cost_usd": 9}, {"text": ["Cause:"], "any": [{"steps": 1}, {"tool": "x"}]}],
            [CHEAP],
            "stopped: text 'Cause:' and (steps 1 or tool x)",
        ),
        ([{"all": [{"steps": 1}, {"tokens": 9}]}], [CHEAP], "stopped: steps 1 and tokens 9"),
    ],
)
def test_a_loop_says_why_it_stopped(stop: Any, steps: list[Step], reason: str) -> None:
    assert Loop.model_validate({"stop": stop}).stop_reason(steps) == reason


def test_a_loop_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "loop.yaml"
    path.write_text("instructions: Be kind.\nphases: [{from: 3, tools: [get*]}]\n")
    loop = read_loop(path)
    assert (loop.instructions, loop.phases[0].first_step) == ("Be kind.", 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_step: 3", "loop.yaml:1: unknown key 'max_step'"),
        ("stop:\n  - {}", "a condition names steps, text, tool"),
        ("phases: [{model: gpt}]", "should match pattern"),
        ("max_steps: 0", "greater than or equal to 1"),
        ("stop: [", "not YAML"),
        ("- a", "valid dictionary"),
    ],
)
def test_a_loop_that_makes_no_sense_is_refused_with_its_place(
    text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "loop.yaml"
    path.write_text(text)
    with pytest.raises(InvalidCasesError) as failed:
        read_loop(path)
    assert told in "\n".join(f"{each.where}: {each.message}" for each in failed.value.problems)
