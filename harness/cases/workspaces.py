"""The files that a trial's workspace starts with: written in the case, or a folder of the suite."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from harness.cases.fixtures import name_fault
from harness.cases.folder import SuiteFolder
from harness.documents import Findings

MOST_FILES = 200
MOST_BYTES = 1024 * 1024
"""Of all files of one workspace; they are part of the case, and kept with every run of it."""


def read_workspace(
    written: str | Mapping[str, str], folder: SuiteFolder, where: str, findings: Findings
) -> dict[str, str]:
    """The files by their path in the workspace; what cannot be taken is noted.

    Args:
        written: A folder of the suite, or path to text.
        folder: The suite.
        where: The place of it.
        findings: Where problems go.
    """
    files = (
        _of_folder(written, folder, where, findings) if isinstance(written, str) else dict(written)
    )
    for name in files:
        if leaves(name):
            findings.error(where, f"the workspace's file {name!r} leaves the workspace")
        for parent in PurePosixPath(name).parents:
            if str(parent) in files:
                findings.error(where, f"{str(parent)!r} is both a file and a folder")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values())
    if size > MOST_BYTES or len(files) > MOST_FILES:
        findings.error(
            where,
            f"the workspace has {len(files)} files and {size} bytes;"
            f" at most {MOST_FILES} and {MOST_BYTES >> 10} KiB are taken",
        )
        return {}
    return files


def leaves(name: str) -> bool:
    """Whether a path in a workspace could leave it, or is no path of a file.

    >>> leaves("src/a.py"), leaves("../a.py"), leaves("/etc/hosts"), leaves("")
    (False, True, True, True)
    """
    return bool(name_fault(PurePosixPath(name))) or name.endswith("/")


def _of_folder(written: str, folder: SuiteFolder, where: str, findings: Findings) -> dict[str, str]:
    if leaves(written):
        fault = name_fault(PurePosixPath(written)) or "is no name of a folder"
        findings.error(where, f"workspace {written!r} {fault}")
        return {}
    root = folder.path / written
    if not root.is_dir():
        findings.error(where, f"no folder {written!r} in {folder.path}")
        return {}
    files: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not folder.holds(path):
            findings.error(where, f"{folder.relative(path)} is a link; a workspace holds files")
        elif path.is_file() and "__pycache__" not in path.parts:
            _add(files, path, root, (where, findings))
        if len(files) > MOST_FILES:
            break
    if not files and not any(item.where == where for item in findings.problems):
        findings.error(where, f"workspace {written!r} holds no file")
    return files


def _add(files: dict[str, str], path: Path, root: Path, noted: tuple[str, Findings]) -> None:
    where, findings = noted
    name = path.relative_to(root).as_posix()
    try:
        if path.stat().st_size > MOST_BYTES:
            findings.error(where, f"{name!r} is larger than {MOST_BYTES >> 10} KiB")
            return
        files[name] = path.read_bytes().decode()
    except UnicodeDecodeError:
        findings.error(where, f"{name!r} is not UTF-8 text")
    except OSError as error:
        findings.error(where, f"{name!r} cannot be read: {error.strerror}")
