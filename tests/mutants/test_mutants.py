"""How mutants are made, and that a test which proves something kills them."""

import ast

import pytest

from tests.mutants.__main__ import sample
from tests.mutants.operators import mutants
from tests.mutants.rooms import ROOT, files_of, modules


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("x = a < b", ["x = (a <= b)"]),
        ("x = a < b == c", ["x = (a <= b == c)", "x = (a < b != c)"]),
        ("x = a and b or c", ["x = ((a and b) and c)", "x = (a or b) or c"]),
        ("x = not a", ["x = a"]),
        ("x = a + 1", ["x = (a - 1)", "x = a + 2"]),
        ("x = a + ' '", []),
        ("x += a", ["x = a"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("if a:\n    b()", ["if (not a):\n    b()"]),
        ("if TYPE_CHECKING:\n    x = 1", []),
        ("x: Literal[1] = True", ["x: Literal[1] = False"]),
        ("x = f'{a + 1}'", []),
        ("@keep(1)\ndef f(a: int = 2): ...", ["@keep(1)\ndef f(a: int = 3): ..."]),
        ("é = 'é' if a < b else c", ["é = 'é' if (a <= b) else c"]),
    ],
)
def test_each_mutant_is_one_change(source: str, changed: list[str]) -> None:
    found = [mutant.apply(source) for mutant in mutants("a.py", source)]
    assert sorted(found) == sorted(changed)


def test_no_mutant_moves_a_line_and_each_can_be_parsed() -> None:
    path = "tests/mutants/operators.py"
    source = (ROOT / path).read_text(encoding="utf-8")
    found = list(mutants(path, source))
    assert len(found) > 30
    for mutant in found:
        changed = mutant.apply(source)
        ast.parse(changed)
        assert changed != source
        assert changed.count("\n") == source.count("\n"), str(mutant)


def test_a_seed_draws_the_same_sample() -> None:
    assert sample(20, 1) == sample(20, 1)
    assert sample(20, 1) != sample(20, 2)


@pytest.mark.slow
def test_what_is_mutated_has_tests() -> None:
    known = modules()
    assert any(path.startswith("harness/runner/") for path in known)
    assert any("session" in path for path in known)
    for module in known:
        near, others = files_of(module)
        assert near or others, module
        assert not set(near) & set(others)
