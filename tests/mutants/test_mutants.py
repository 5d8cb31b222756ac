"""How mutants are made, and that a test which proves something kills them."""

import ast
import subprocess
from pathlib import Path

import pytest

from tests.mutants.__main__ import sample
from tests.mutants.changes import changes
from tests.mutants.operators import mutants
from tests.mutants.rooms import HOUSES, ROOT, files_of, modules


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
        ("def f():\n    return False", ["def f():\n    return True"]),
        ("def __repr__(a):\n    return a + 1", []),
        ("if a:\n    b()", ["if (not a):\n    b()"]),
        ("if TYPE_CHECKING:\n    x = 1", []),
        ("x: Literal[1] = True", ["x: Literal[1] = False"]),
        ("x = f'{a + 1}'", []),
        ("x = zip(a, b, strict=True)", []),
        ("x = loads(a, strict=True)", ["x = loads(a, strict=False)"]),
        ("x = md5(a, usedforsecurity=False)", []),
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


@pytest.mark.slow
def test_a_seed_draws_the_same_sample() -> None:
    assert sample(20, 1) == sample(20, 1)
    assert sample(20, 1) != sample(20, 2)


def test_rooms_are_those_that_a_branch_changed_since_the_last_tag_or_the_commit_before(
    tmp_path: Path,
) -> None:
    def commit(*names: str) -> str:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(path.read_text() + "#" if path.exists() else "")
        git("add", ".")
        git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")
        return git("rev-parse", "HEAD")

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    assert changes(tmp_path).rooms == ()
    git("init", "-qb", "main")
    first = commit("README.md", *(f"{house}/errors.py" for house in HOUSES))
    assert (changes(tmp_path).rooms, changes(tmp_path).seed) == ((), int(first[:8], 16))
    assert changes(tmp_path).since.startswith("nothing")
    second = commit("mockserver/redaction/keys.py", "tests/mockserver/absent/test_x.py")
    assert changes(tmp_path).rooms == ("mockserver/redaction/",)
    assert changes(tmp_path).since == f"the commit before ({first[:8]})"
    git("tag", "v1")
    commit("tests/harness/test_errors.py")
    commit("mockserver/errors.py")
    assert changes(tmp_path).rooms == ("harness/errors.py", "mockserver/errors.py")
    assert changes(tmp_path).since == f"the tag v1 ({second[:8]})"
    git("checkout", "-qb", "side")
    commit("mockserver/apis/drive/rows.py")
    assert changes(tmp_path).rooms == ("mockserver/apis/drive/",)
    assert changes(tmp_path).since.startswith("where the branch left main")


@pytest.mark.parametrize(
    ("module", "near", "others"),
    [
        ("mockserver/redaction/pseudonyms.py", ["tests/mockserver/redaction/test_pseudonyms.py"],
         True),
        ("harness/verdicts/exits.py", ["tests/harness/verdicts/test_exits.py"], True),
        ("mockserver/routing.py", ["tests/mockserver/test_routing.py"], False),
        ("mockserver/apis/dns/methods.py", ["tests/mockserver/apis/test_dns.py"], False),
    ],
)  # fmt: skip
def test_the_tests_that_know_a_module_come_first(
    module: str, near: list[str], others: bool
) -> None:
    found, rest = files_of(module)
    assert found[: len(near)] == near
    assert module not in found[:-1], "collected first it would hide what bears its name"
    assert bool(rest) is others
    assert not set(found) & set(rest)


def test_what_bears_the_name_of_another_room_is_tested_there_too() -> None:
    near, rest = files_of("mockserver/sources/declared_stubs.py")
    assert rest[0].startswith("tests/mockserver/declared/")
    assert "tests/mockserver/sources/test_memo.py" in rest
    assert len(rest) == len(set(rest))
    assert not set(near) & set(rest)


def test_tests_of_other_rooms_that_import_a_module_follow_where_they_are_few() -> None:
    near, rest = files_of("mockserver/sessions/journal.py")
    assert rest[-2:] == [
        "tests/mockserver/http/test_metrics.py",
        "tests/mockserver/http/test_request_log.py",
    ]
    assert len(set(near + rest)) == len(near + rest)
    assert not any("/cli/" in each for each in files_of("mockserver/redaction/rule.py")[1])


@pytest.mark.slow
def test_what_is_mutated_has_tests() -> None:
    known = modules()
    assert {path.split("/")[0] for path in known} == set(HOUSES)
    for module in known:
        near, others = files_of(module)
        assert near or others, module
        assert not set(near) & set(others)
