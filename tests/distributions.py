"""What an installation consists of: distributions, what they need, and how large they are."""

from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from marshal import dumps
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PARTS = ("mockserver", "harness", "fixtures")
"""The folders of this project that a wheel holds."""


def needed(name: str = "understudy") -> dict[str, Distribution]:
    """A distribution with all that it needs, without any extra, by their names."""
    found: dict[str, Distribution] = {}
    waiting = [(name, frozenset[str]())]
    for each, extras in waiting:
        found[_normalised(each)] = made = distribution(each)
        for text in made.requires or ():
            requirement = Requirement(text)
            wanted = requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in (extras or {""})
            )
            if wanted and _normalised(requirement.name) not in found:
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def clients() -> Iterator[Distribution]:
    """The packages whose gRPC messages a wheel holds."""
    for text in distribution("understudy").requires or ():
        requirement = Requirement(text)
        if requirement.marker and requirement.marker.evaluate({"extra": "clients"}):
            yield distribution(requirement.name)


def _normalised(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def installed_bytes(made: Distribution) -> int:
    """What the files of a distribution take, with its byte code."""
    files = (Path(str(made.locate_file(file))) for file in made.files or ())
    return sum(path.stat().st_size for path in files if path.is_file())


def project_bytes() -> int:
    """What this project takes in a wheel that is installed, but for the packs."""
    return sum(path.stat().st_size + _byte_code(path) for path in _project_files())


def _project_files() -> Iterator[Path]:
    for part in PARTS:
        for path in (ROOT / part).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def _byte_code(path: Path) -> int:
    """What is added when a module is compiled; programs of suites are compiled too."""
    if path.suffix != ".py":
        return 0
    return len(dumps(compile(path.read_bytes(), path.name, "exec", dont_inherit=True)))
