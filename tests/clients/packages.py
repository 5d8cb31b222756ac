"""Google's clients of APIs that are not emulated, in a folder of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.clients.node import cache_folder

WANTED = (
    "google-auth-oauthlib==1.5.0",
    "google-cloud-bigquery==3.47.0",
    "google-cloud-firestore==2.34.1",
    "google-cloud-pubsub==2.44.0",
    "google-cloud-secret-manager==2.32.0",
    "google-cloud-storage==3.17.1",
)
_PATIENCE_S = 300


def packages_of_google() -> Path | str:
    """The folder of packages, installed when it is not there yet, or why there is none.

    They want other versions than the project does, and the server is to meet clients whose
    packages it does not have.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = cache_folder() / f"google-clients-1-python{version}"
    if wanted.is_dir():
        return wanted
    draft = wanted.with_name(f".{wanted.name}.{os.getpid()}")
    draft.mkdir(parents=True, exist_ok=True)
    said = _install(draft)
    if not said:
        try:
            draft.rename(wanted)
        except OSError:  # another process was faster
            said = "" if wanted.is_dir() else f"{wanted} cannot be made"
    shutil.rmtree(draft, ignore_errors=True)
    return said or wanted


def _install(folder: Path) -> str:
    command = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), *WANTED)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"pip took more than {_PATIENCE_S} s"
    return "" if done.returncode == 0 else f"pip cannot install them: {done.stderr[-300:]}"
