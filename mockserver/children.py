"""How a process of ours is started: with the modules of this one, and none of anywhere else.

Python looks for modules in the working folder of `python -m` and `python -c`, and in what
`PYTHONPATH` names. Whoever starts a run there would have what lies there run as a part of it.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

HOME = Path(__file__).parents[1]
"""Where this package is found; in a checkout that may be the working folder."""

_OPTIONS = ("-E", "-P")
"""No variable of Python's is read, so no `sitecustomize` of theirs either; no folder is added.

The variables stay in the environment: programs of the user that the child starts may need them.
"""

_START = (
    "import sys; from importlib import import_module;"
    f" path, target = sys.argv[1:3]; sys.path[:] = path.split({os.pathsep!r});"
    " sys.argv[:] = [target, *sys.argv[3:]]; module, _, function = target.partition(':');"
    " getattr(import_module(module), function)()"
)


def child_command(target: str, *arguments: str) -> list[str]:
    """What starts a process of ours that finds the modules which this one finds.

    Every Python process of ours is started with it.

    Args:
        target: `module:function`, called without arguments.
        arguments: What it finds in `sys.argv` after its own name.
    """
    path = os.pathsep.join(import_path(sys.path))
    return [sys.executable, *_OPTIONS, "-c", _START, path, target, *arguments]


def import_path(path: Iterable[str]) -> list[str]:
    """A path of imports, absolute, without the working folder unless this package is there."""
    here = Path.cwd()
    absolute = dict.fromkeys(here / each for each in path)
    return [str(each) for each in absolute if each != here or each == HOME]
