import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.agents.sandbox.view import (
    ViewOptions,
    home_folder,
    program_folders,
    system_folders,
    visible,
)

Seen = Callable[..., dict[str, str]]


@pytest.fixture
def seen(tmp_path: Path) -> Seen:
    """What is seen of a folder, by path in it: the kind of each mount."""
    for name in (
        "home/project/agent.py", "home/project/.env.local", "home/project/lib/.npmrc",
        "home/project/evals/cases.yaml", "home/project/evals/agent/main.py", "home/loose.py",
        "elsewhere/tool.py", "certs/ca.pem", "home/project/node_modules/x/.npmrc",
        "home/project/a/b/c/.env",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def look(*argv: str, read: tuple[str, ...] = (), **block: str) -> dict[str, str]:
        options = ViewOptions(
            folder=tmp_path / "home/project",
            workspace=tmp_path / "workspace",
            gate=tmp_path / "gate",
            home=tmp_path / "home",
            hidden=(tmp_path / "home/project/evals", tmp_path / "home/project/runs"),
            read=tuple(tmp_path / name for name in read),
        )
        placed = {key: value.format(tmp_path) for key, value in block.items()}
        mounts = visible([part.format(tmp_path) for part in argv], placed, options)
        return {
            str(each.path.relative_to(tmp_path)): each.kind
            for each in mounts
            if each.path.name not in {"workspace", "gate"}
        }

    return look


OF_PROJECT = {
    "home/project": "read",
    "home/project/.env.local": "hide",
    "home/project/lib/.npmrc": "hide",
    "home/project/evals": "hide",
}


@pytest.mark.parametrize(
    ("argv", "more"),
    [
        (("python", "{}/home/project/agent.py"), OF_PROJECT),
        (("{}/home/project/agent.py",), OF_PROJECT),
        (
            ("python", "{}/home/project/evals/agent/main.py"),
            {**OF_PROJECT, "home/project/evals/agent/main.py": "read"},
        ),
        (("python", "{}/home/loose.py"), {"home/loose.py": "read"}),
        (("python", "{}/elsewhere/tool.py"), {"elsewhere": "read"}),
        (("ls", "/usr"), {}),
    ],
    ids=["project", "script", "in the suite", "in the home", "elsewhere", "nothing"],
)
def test_an_agent_sees_its_project_without_credentials_and_suite(
    seen: Seen, argv: tuple[str, ...], more: dict[str, str]
) -> None:
    assert seen(*argv) == more


def test_files_of_the_session_are_seen(seen: Seen) -> None:
    block = {"A": "{}/certs/ca.pem", "B": '--require="{}/elsewhere/tool.py"', "C": "{}/certs"}
    assert seen("ls", **block) == {"certs/ca.pem": "read", "elsewhere/tool.py": "read"}


def test_what_is_named_is_seen_even_if_it_would_be_hidden(seen: Seen) -> None:
    named = ("home/project/evals/cases.yaml", "home/project/.env.local")
    found = seen("{}/home/project/agent.py", read=named)
    assert found == {**OF_PROJECT, **dict.fromkeys(named, "read")}


@pytest.mark.parametrize(
    ("files", "program", "folders"),
    [
        (["venv/pyvenv.cfg", "venv/bin/tool"], "venv/bin/tool", ["venv"]),
        (["node/lib/node_modules/x/i.js", "node/bin/node"], "node/bin/node", ["node"]),
        (["env/shims/python"], "env/shims/python", ["env"]),
        (["bin/tool"], "bin/tool", ["bin/tool"]),
        (["pyvenv.cfg", "bin/tool"], "bin/tool", ["bin/tool"]),
    ],
    ids=["virtual environment", "Node", "shims", "alone", "in the home itself"],
)
def test_a_program_comes_with_what_it_needs(
    tmp_path: Path, files: list[str], program: str, folders: list[str]
) -> None:
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o755)
    found = program_folders(str(tmp_path / program), "/usr/bin", tmp_path)
    assert found == tuple(tmp_path / name for name in folders)
    on_the_path = program_folders("no-such", str((tmp_path / program).parent), tmp_path)
    assert set(on_the_path) <= {*found}


def test_a_virtual_environment_comes_with_the_python_that_it_was_made_of(tmp_path: Path) -> None:
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/pyvenv.cfg").touch()
    base = tmp_path / "python/bin/python3"
    base.parent.mkdir(parents=True)
    base.touch(mode=0o755)
    (tmp_path / "venv/bin/python").symlink_to(base)
    found = program_folders(str(tmp_path / "venv/bin/python"), "", tmp_path / "home")
    assert tmp_path / "venv" in found
    assert tmp_path / "python" in found


def test_the_system_holds_no_homes_and_no_secrets() -> None:
    folders = {str(path) for path in system_folders()}
    assert "/usr" in folders
    assert not folders & {"/", "/etc", "/home", "/root", "/tmp", "/run", "/var", sys.prefix}


@pytest.mark.parametrize(("home", "found"), [("/home/ann", "/home/ann"), ("/", None), ("x", None)])
def test_the_home_is_the_users_or_a_folder_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch, home: str, found: str | None
) -> None:
    monkeypatch.setenv("HOME", home)
    assert home_folder() == Path(found or tempfile.gettempdir())
