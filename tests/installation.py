"""Builds the wheel of this tree, and installs it away from the checkout, with the network shut."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from tests.distributions import needed
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
PARTS = ("harness", "mockserver", "fixtures", ".ci", "pyproject.toml", "README.md", "LICENSE")
SHUT = """
import ipaddress, socket

def _refuse(address):
    if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
        raise OSError(f"the network is shut: {address}")

class Shut(socket.socket):
    def connect(self, address):
        _refuse(address)
        return super().connect(address)

    def connect_ex(self, address):
        _refuse(address)
        return super().connect_ex(address)

_look_up = socket.getaddrinfo

def getaddrinfo(host, *rest, **named):
    if host not in (None, "", "localhost", b"localhost") and not str(host)[0].isdigit():
        raise OSError(f"the network is shut: {host}")
    return _look_up(host, *rest, **named)

socket.socket, socket.getaddrinfo = Shut, getaddrinfo
"""
"""What Python runs first in the installed environment: nothing but this machine is reached."""


def copy_source(source: Path) -> None:
    """Copy what a wheel is built of into a new folder."""
    source.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, source / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, source / part)


MOMENT = "1767225600"
"""SOURCE_DATE_EPOCH of builds, seconds."""


@contextmanager
def _shared_folder(factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of all processes of a run of tests; one at a time is in it."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "wheel.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield folder


def built_wheel(factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built by pip, once for all processes of a run of tests."""
    with _shared_folder(factory) as folder:
        if not list(folder.glob("*.whl")):
            copy_source(folder / "source")
            _run("-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index",
                 "-w", str(folder), str(folder / "source"))  # fmt: skip
            shutil.rmtree(folder / "source")
        (wheel,) = folder.glob("*.whl")
    return wheel


def installed_core(factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and the packages of the core alone, once as well.

    Nobody changes it.
    """
    wheel = built_wheel(factory)
    with _shared_folder(factory) as folder:
        place = folder / "installed"
        if not place.is_dir():
            install(wheel, place)
    return place / "venv"


def linked_environment(place: Path, *others: str) -> Path:
    """A virtual environment with the packages of the core, and others with theirs, without ours.

    The packages are those of this environment, and are linked: they are not unpacked again, and
    are compiled already.

    Args:
        place: An empty folder.
        others: Names of packages that a user has beside this one.
    """
    venv = place / "venv"
    _run("-m", "venv", "--without-pip", str(venv))
    (packages,) = (venv / "lib").glob("python*/site-packages")
    for wanted in ("understudy", *others):
        for name, made in needed(wanted).items():
            if name != "understudy":
                _link(made.files or (), Path(str(made.locate_file(""))), packages)
                _write_programs(made, venv / "bin")
    return venv


def install(wheel: Path, place: Path, *others: str) -> Path:
    """The same environment with the wheel, in which the network is shut.

    Args:
        wheel: That of this tree.
        place: An empty folder.
        others: Names of packages that a user has beside this one.
    """
    venv = linked_environment(place, *others)
    _run("-m", "pip", "--python", str(venv / "bin" / "python"), "install", "-q",
         "--no-deps", "--no-index", "--no-compile", str(wheel))  # fmt: skip
    (packages,) = (venv / "lib").glob("python*/site-packages")
    (packages / "sitecustomize.py").write_text(SHUT, encoding="utf-8")
    return venv


def _run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "SOURCE_DATE_EPOCH": MOMENT},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _link(files: object, origin: Path, packages: Path) -> None:
    """Put the folders and modules of a distribution into another environment."""
    names = {str(file).split("/", 1)[0] for file in files}  # type: ignore[attr-defined]
    for name in names - {"..", "__pycache__"}:
        if not (packages / name).exists():
            (packages / name).symlink_to(origin / name)


def _write_programs(made: Distribution, folder: Path) -> None:
    """Write the commands of a distribution, as pip does."""
    for entry in made.entry_points.select(group="console_scripts"):
        program = folder / entry.name
        program.write_text(
            f"#!{folder / 'python'}\nimport sys\nfrom {entry.module} import {entry.attr}\n"
            f"sys.exit({entry.attr}())\n",
            encoding="utf-8",
        )
        program.chmod(0o755)
