"""Client libraries from PyPI, in folders outside of the repository and of its environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.clients.node import cache_folder

_PATIENCE_S = 300


def packages_of(*requirements: str) -> Path | str:
    """The folder that has some packages of PyPI, for PYTHONPATH, or why there is none.

    Args:
        requirements: `name==version`; the folder is named after the first.
    """
    wanted = cache_folder() / f"python-{requirements[0].replace('==', '-')}"
    if wanted.is_dir():
        return wanted
    draft = wanted.with_name(f".{wanted.name}.{os.getpid()}")
    options = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    command = (sys.executable, "-m", "pip", "install", *options, "--target", str(draft))
    said = ""
    try:
        done = subprocess.run(
            (*command, *requirements),
            capture_output=True, text=True, timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
        if done.returncode:
            told = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            said = f"pip cannot install {requirements[0]}: {told}"
        else:
            draft.rename(wanted)
    except subprocess.TimeoutExpired:
        said = f"pip did not install {requirements[0]} within {_PATIENCE_S} s"
    except OSError:  # another process was faster
        said = "" if wanted.is_dir() else f"{wanted} cannot be made"
    shutil.rmtree(draft, ignore_errors=True)
    return said or wanted
