"""Measures what tests reach: `python -m tests.reach begin`, the tests, `python -m tests.reach end`.

The first makes modules that note what is reached, in the folder that `COVERAGE_REACH` names; the
last writes `.coverage`, which the reports of coverage.py read.
"""

import gc
import marshal
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from coverage import CoverageData

from tests.mutants.rooms import ROOT, modules
from tests.reach import hook
from tests.reach.hook import NOTES, VARIABLE, place
from tests.reach.rewriting import NOTES_PER_LINE, arcs, rewritten

DATA = ROOT / ".coverage"

START = f"""
import os
if os.environ.get({VARIABLE!r}):
    from importlib.machinery import SourceFileLoader
    names = {{"__name__": "reach"}}
    try:
        exec(SourceFileLoader("reach", {hook.__file__!r}).get_code("reach"), names)
        names["start"]()
    except OSError:
        pass
"""
"""What an interpreter does as it starts; a sandbox may hide the files from it."""


def notes_of(text: str) -> int:
    """How many notes a module has: those of each line, from a line 0 on."""
    return NOTES_PER_LINE * (text.count("\n") + 2)


def _sources() -> Iterator[tuple[Path, str, slice]]:
    """Each module, its text, and where its notes are."""
    first = 0
    for name in modules():
        text = (ROOT / name).read_text(encoding="utf-8")
        notes = slice(first, first + notes_of(text))
        yield ROOT / name, text, notes
        first = notes.stop


def prepare(folder: Path, sources: Iterable[tuple[Path, str, slice]]) -> None:
    """Make modules that note what is reached, and a file of their notes."""
    size = 0
    for path, text, notes in sources:
        code = rewritten(text, str(path), notes.start)
        Path(place(str(folder), str(path))).write_bytes(marshal.dumps(code))
        size = notes.stop
    (folder / NOTES).write_bytes(bytes(size))


def begin(folder: Path) -> None:
    """Begin with nothing reached; each interpreter looks for the modules as it starts."""
    DATA.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    prepare(folder, _sources())
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "reach.pth").write_text(f"import sys; exec({START!r})\n", encoding="utf-8")


def end(folder: Path) -> None:
    """Tell coverage.py what was reached."""
    notes = (folder / NOTES).read_bytes()
    reached = {str(path): arcs(text, notes[where]) for path, text, where in _sources()}
    data = CoverageData(str(DATA))
    data.add_arcs(reached)
    data.touch_files(reached)
    data.write()


if __name__ == "__main__":
    gc.disable()  # it looks through trees for circles that they do not have, half of the time
    {"begin": begin, "end": end}[sys.argv[1]](Path(os.environ[VARIABLE]))
