"""What was changed of late, so that samples are drawn there: asked of git."""

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.rooms import HOUSES


@dataclass(frozen=True)
class Changes:
    """Rooms that were changed, and since when.

    Attributes:
        rooms: Folders, and modules that stand in none, as parts of paths; none stands for all.
        files: All that was changed, as paths.
        since: What they were compared with, in words.
        seed: Of the commit that is checked out: another sample for each.
    """

    rooms: tuple[str, ...]
    files: tuple[str, ...]
    since: str
    seed: int


def changes(root: Path) -> Changes:
    """The rooms in which the code or its tests differ from what is known to be good.

    That is where the branch left `main`; on `main` the last tag; where there is none the commit
    before. A checkout that knows none of them, such as a shallow one, is compared with nothing.
    """
    head = _git(root, "rev-parse", "HEAD")
    seed = int(head[:8], 16) if head else 0
    for words, commit in _known(root):
        if commit and commit != head:
            names = _git(root, "diff", "--name-only", "--no-renames", commit, "HEAD").splitlines()
            rooms = tuple(room for room in rooms_of(names) if (root / room).exists())
            if rooms:
                return Changes(rooms, tuple(names), f"{words} ({commit[:8]})", seed)
    return Changes((), (), "nothing, as no change of the code is known here", seed)


def rooms_of(names: Sequence[str]) -> tuple[str, ...]:
    """The rooms that files belong to, or whose tests they are.

    >>> rooms_of(["harness/checks/tools.py", "tests/harness/checks/test_text.py", "README.md"])
    ('harness/checks/',)
    >>> rooms_of(["mockserver/apis/drive/rows.py", "tests/mockserver/test_routing.py"])
    ('mockserver/apis/drive/', 'mockserver/routing.py')
    """
    found = set()
    for name in names:
        path = Path(name.removeprefix("tests/"))
        if path.parts[0] in HOUSES and path.suffix == ".py":
            is_room = len(path.parts) > 2
            module = path.with_name(path.name.removeprefix("test_"))
            found.add(f"{path.parent}/" if is_room else str(module))
    return tuple(sorted(found))


def _known(root: Path) -> Iterator[tuple[str, str]]:
    for branch in ("origin/main", "main"):
        yield f"where the branch left {branch}", _git(root, "merge-base", "HEAD", branch)
    tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD^")
    yield f"the tag {tag}", _git(root, "rev-list", "-n", "1", tag) if tag else ""
    yield "the commit before", _git(root, "rev-parse", "--verify", "--quiet", "HEAD^")


def _git(root: Path, *arguments: str) -> str:
    """What git says; an empty string where it fails or is missing."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
