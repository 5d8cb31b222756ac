"""`understudy.yaml`: what it may say, and what comes before it."""

from pathlib import Path
from typing import Any

import pytest

from harness.cli.run import KEYS, with_project
from harness.cli.run_options import RunOptions
from harness.errors import InvalidCasesError

EVERY_KEY = """\
suite: evals
agent: "command:./agent.sh"
trials: 3
intercept: true
tunnel: [api.example.com]
env: [MODE=quick, GIVEN_KEY, ABSENT_KEY]
"""
SAID: dict[str, Any] = {
    "suite": Path("evals"),
    "agent": "command:./agent.sh",
    "trials": 3,
    "intercept": True,
    "tunnel": ["api.example.com"],
    "env": ["MODE=quick", "GIVEN_KEY"],
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIVEN_KEY", "given")
    monkeypatch.delenv("ABSENT_KEY", raising=False)
    return tmp_path / "understudy.yaml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("suite: evals\nagnet: oracle\n", "understudy.yaml:2: unknown key 'agnet'"),
        ("suite: 1\n", "'suite' must be a path, not 1"),
        ("suite:\n", "'suite' must be a path, not None"),
        ("agent: [a]\n", "'agent' must be an agent"),
        ("trials: many\n", "understudy.yaml:1: 'trials' must be a number of trials"),
        ("trials: true\n", "'trials' must be a number of trials"),
        ("trials: 3.0\n", "'trials' must be a number of trials"),
        ("intercept: 1\n", "'intercept' must be true or false"),
        ("- suite\n", "expected an object"),
        ("tunnel: api.example.com\n", "'tunnel' must be a list of hosts"),
        ("tunnel: [1]\n", "'tunnel' must be a list of hosts"),
        ("env: {MODE: quick}\n", "'env' must be a list of variables"),
        ("a: [", "understudy.yaml:"),
        ("", "understudy.yaml:1: is empty"),
    ],
)
def test_a_project_file_that_says_what_it_may_not_is_told(
    project: Path, text: str, says: str
) -> None:
    project.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidCasesError) as refused:
        with_project(RunOptions(), ())
    assert says in "\n".join(map(str, refused.value.problems))


def test_all_that_a_project_file_may_not_say_is_told_at_once(project: Path) -> None:
    project.write_text("agnet: oracle\nsuite: 1\ntrials: many\nagent: echo\n", encoding="utf-8")
    with pytest.raises(InvalidCasesError) as refused:
        with_project(RunOptions(), ())
    said = [str(each).partition(" ")[2].partition(" (")[0] for each in refused.value.problems]
    assert said == [
        "unknown key 'agnet'", "'suite' must be a path, not 1",
        "'trials' must be a number of trials, not 'many'",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "given", "left_out"),
    [
        pytest.param({}, (), (), id="nothing said"),
        pytest.param({"trials": 1}, ("trials",), {"trials"}, id="an option comes first"),
        pytest.param(
            {"agent": "null"}, ("agent",), {"agent", "intercept", "tunnel", "env"},
            id="an agent that is not started",
        ),
        pytest.param({"mock": "http://h"}, (), {"intercept", "tunnel", "env"}, id="other server"),
        pytest.param({"replay": True}, (), {"tunnel"}, id="replay"),
        pytest.param({"suite": Path("other")}, (), set(SAID), id="a named suite"),
        pytest.param({"cases": Path("other")}, (), set(SAID), id="named cases"),
        pytest.param({"resume": "latest"}, (), set(SAID), id="a resumed run"),
    ],
)  # fmt: skip
def test_the_file_completes_the_options(
    project: Path, options: dict[str, Any], given: tuple[str, ...], left_out: set[str]
) -> None:
    assert SAID.keys() == KEYS.keys()
    project.write_text(EVERY_KEY, encoding="utf-8")
    said = {name: value for name, value in SAID.items() if name not in left_out}
    assert with_project(RunOptions(**options), given) == RunOptions(**{**said, **options})


def test_without_a_file_nothing_changes() -> None:
    assert with_project(RunOptions(), ()) == RunOptions()
