"""Packages of npm, in folders outside of the repository."""

import os
import shutil
import subprocess
from pathlib import Path

VERSION = "171.4.0"
CLOUD = (
    "@google-cloud/storage@7.22.0",
    "@google-cloud/bigquery@8.3.1",
    "@google-cloud/firestore@8.7.1",
    "@google-cloud/pubsub@5.3.1",
    "@google-cloud/secret-manager@6.3.0",
    "@google-cloud/tasks@6.3.0",
)
_PATIENCE_S = 180


def cache_folder() -> Path:
    """Where packages for tests are kept, as the XDG specification says."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache.startswith("/") else Path.home() / ".cache") / "understudy"


def modules_of_googleapis() -> Path | str:
    """The folder of modules, installed when it is not there yet, or why there is none."""
    return modules_of(f"googleapis@{VERSION}")


def modules_of(*packages: str, optional: bool = True) -> Path | str:
    """The folder of modules that has some packages of npm, or why there is none.

    Args:
        packages: `name@version`; the folder is named after the first.
        optional: Whether the packages come along that they need optionally.
    """
    name, _, version = packages[0].rpartition("@")
    wanted = cache_folder() / f"{name.rpartition('/')[2]}-{version}"
    if (wanted / "node_modules" / name).is_dir():
        return wanted / "node_modules"
    if shutil.which("npm") is None or shutil.which("node") is None:
        return f"there is no `npm` here to install {name} with"
    draft = wanted.with_name(f".{wanted.name}.{os.getpid()}")
    draft.mkdir(parents=True, exist_ok=True)
    said = _install(draft, packages, optional=optional)
    if not said:
        try:
            draft.rename(wanted)
        except OSError:  # another process was faster
            said = "" if wanted.is_dir() else f"{wanted} cannot be made"
    shutil.rmtree(draft, ignore_errors=True)
    return said or wanted / "node_modules"


def _install(folder: Path, packages: tuple[str, ...], *, optional: bool) -> str:
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    options += [] if optional else ["--omit=optional"]
    command = ("npm", "install", *options, "--prefix", str(folder), *packages)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return f"npm did not install {packages[0]} within {_PATIENCE_S} s"
    said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"npm cannot install {packages[0]}: {said}" if done.returncode else ""


def run_module(program: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """What a module without packages writes, which must end well."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        input=given,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done
