"""What travels to other machines, and what stays."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner.executors import package
from harness.runner.executors.package import Travel, write_package
from tests.casefiles import put

GIT = shutil.which("git")
FILES = (
    "agent.py", "lib/tools.py", "node_modules/left-pad/index.js", "runs/r1/manifest.json",
    ".git/config", "env/pyvenv.cfg", "env/bin/python", "__pycache__/agent.pyc", ".env",
    ".env.local", ".env.example", "deploy/server.key", ".ssh/config", "conf/credentials.json",
    "evals/cases/a.yaml", "evals/base/tenant.json",
)  # fmt: skip
TRAVELLING = [
    "work/.env.example",
    "work/agent.py",
    "work/evals/base/tenant.json",
    "work/evals/cases/a.yaml",
    "work/lib/tools.py",
    "work/node_modules/left-pad/index.js",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        put(tmp_path / "here" / name, name)
    (tmp_path / "here" / "agent.py").chmod(0o755)
    return tmp_path / "here"


def travel(folder: Path, suite: str = "evals", *also: str) -> Travel:
    return Travel(folder, folder / suite, (folder / "runs",), tuple(map(Path, also)))


def test_code_and_suite_travel_and_secrets_stay(folder: Path, tmp_path: Path) -> None:
    made = write_package(travel(folder), tmp_path / "package.zip")
    assert list(made.names) == TRAVELLING
    assert (made.folder, made.suite) == ("work", "work/evals")
    with zipfile.ZipFile(made.path) as archive:
        assert sorted(archive.namelist()) == TRAVELLING
        assert archive.read("work/agent.py") == b"agent.py"
        assert archive.getinfo("work/agent.py").external_attr >> 16 == 0o100755
        assert archive.getinfo("work/lib/tools.py").external_attr >> 16 == 0o100644
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_same_files_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    first = write_package(travel(folder), tmp_path / "a.zip").path.read_bytes()
    (folder / "agent.py").touch()
    assert write_package(travel(folder), tmp_path / "b.zip").path.read_bytes() == first


def test_without_git_nothing_is_ignored(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert list(write_package(travel(folder), tmp_path / "a.zip").names) == TRAVELLING


def test_a_suite_from_elsewhere_travels_beside_the_folder(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder / "evals", tmp_path / "office")
    made = write_package(travel(folder, "../office"), tmp_path / "package.zip")
    assert made.suite == "suite/office"
    assert "suite/office/cases/a.yaml" in made.names


def test_a_suite_that_is_the_folder_is_named_as_it(folder: Path, tmp_path: Path) -> None:
    made = write_package(travel(folder, "."), tmp_path / "package.zip")
    assert (made.suite, list(made.names)) == ("work", TRAVELLING)


@pytest.mark.skipif(GIT is None, reason="there is no git")
def test_what_git_ignores_stays_unless_it_is_named(folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(folder / ".git")
    subprocess.run([str(GIT), "init", "-q", str(folder)], check=True)
    put(folder / ".gitignore", "dist\nlocal.yaml\nnode_modules\nevals/base\n")
    put(folder / "local.yaml", "password: x")
    put(folder / "dist" / "main.js", "x")
    plain = write_package(travel(folder), tmp_path / "package.zip").names
    assert set(plain) == {*TRAVELLING, "work/.gitignore"}  # the suite is whole
    named = write_package(travel(folder, "evals", "dist"), tmp_path / "package.zip").names
    assert set(named) - set(plain) == {"work/dist/main.js"}
    one = write_package(travel(folder, "evals", "dist/main.js"), tmp_path / "package.zip").names
    assert one == named


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", "--ship 'nowhere' names nothing below"),
        ("../outside", "names nothing below"),
        (".env", r"--ship '\.env' is a file of secrets"),
    ],
)
def test_what_cannot_be_named_is_told(name: str, said: str, folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside", "x")
    with pytest.raises(HarnessError, match=said):
        write_package(travel(folder, "evals", name), tmp_path / "package.zip")


def test_links_lead_nowhere_else(folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "passwords", "x")
    (folder / "out.txt").symlink_to(tmp_path / "passwords")
    (folder / "hidden.txt").symlink_to(folder / ".env")
    (folder / "again.py").symlink_to(folder / "agent.py")
    names = write_package(travel(folder), tmp_path / "package.zip").names
    assert set(names) - set(TRAVELLING) == {"work/again.py"}


def test_too_much_is_told_with_what_is_large(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder / "data" / "big.bin", "x" * 3_000_000)
    monkeypatch.setattr(package, "MOST_BYTES", 2_000_000)
    with pytest.raises(HarnessError, match=r"3 MB would travel .* more than 2: data/big\.bin 3 MB"):
        write_package(travel(folder), tmp_path / "package.zip")


def test_an_archive_that_cannot_be_written_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="cannot pack"):
        write_package(travel(folder), tmp_path / "nowhere" / "package.zip")
