"""Whether google-api-python-client would follow the proxy: without PySocks it never does."""

import shutil
import subprocess
from collections.abc import Mapping

_QUESTION = (
    "import importlib.util as u; print(bool(u.find_spec('httplib2')), bool(u.find_spec('socks')))"
)
_PATIENCE_S = 10


def warning(environ: Mapping[str, str]) -> str:
    """What to tell when the Python on the path has httplib2 without PySocks; else an empty string.

    Args:
        environ: The environment that the agent is started from.
    """
    python = shutil.which("python3", path=environ.get("PATH"))
    if python is None or _answer(python) != "True False":
        return ""
    return (
        f"{python} has httplib2 without PySocks: google-api-python-client would ignore the proxy "
        "and ask the real hosts; pip install pysocks"
    )


def _answer(python: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (the interpreter that the path names)
            [python, "-c", _QUESTION],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
