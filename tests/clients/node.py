"""The `googleapis` package of npm, in a folder outside of the repository."""

import os
import shutil
import subprocess
from pathlib import Path

VERSION = "171.4.0"
_PATIENCE_S = 180


def cache_folder() -> Path:
    """Where packages for tests are kept, as the XDG specification says."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache.startswith("/") else Path.home() / ".cache") / "understudy"


def modules_of_googleapis() -> Path | str:
    """The folder of modules, installed when it is not there yet, or why there is none."""
    wanted = cache_folder() / f"googleapis-{VERSION}"
    if (wanted / "node_modules" / "googleapis").is_dir():
        return wanted / "node_modules"
    if shutil.which("npm") is None or shutil.which("node") is None:
        return "there is no `npm` here to install googleapis with"
    draft = wanted.with_name(f".{wanted.name}.{os.getpid()}")
    draft.mkdir(parents=True, exist_ok=True)
    said = _install(draft)
    if not said:
        try:
            draft.rename(wanted)
        except OSError:  # another process was faster
            said = "" if wanted.is_dir() else f"{wanted} cannot be made"
    shutil.rmtree(draft, ignore_errors=True)
    return said or wanted / "node_modules"


def _install(folder: Path) -> str:
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
    command = ("npm", "install", *options, "--prefix", str(folder), f"googleapis@{VERSION}")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return f"npm did not install googleapis within {_PATIENCE_S} s"
    said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"npm cannot install googleapis: {said}" if done.returncode else ""
