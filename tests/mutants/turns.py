"""Which slow tests a commit runs in CI: those of what it changes, and of the others a third."""

from zlib import crc32

from tests.mutants.changes import Changes, rooms_of

TURNS = 3


def is_due(path: str, changed: Changes) -> bool:
    """Whether a file of tests is run for a commit.

    >>> commit = Changes(("harness/checks/",), ("tests/test_house.py",), "the tag v1", seed=1)
    >>> files = [f"tests/acceptance/test_{name}.py" for name in ("curl", "vcrpy", "installed")]
    >>> [is_due(file, commit) for file in (*files, "tests/harness/checks/test_text.py")]
    [True, False, False, True]
    >>> is_due("tests/test_house.py", commit)
    True

    Args:
        path: From the root of the project.
        changed: What the commit changes; its seed says whose turn it is.
    """
    turn = crc32(path.encode()) % TURNS == changed.seed % TURNS
    return turn or path in changed.files or not {*rooms_of([path])}.isdisjoint(changed.rooms)
