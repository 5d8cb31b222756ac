"""A new case format takes a module and a line of the table, as the documents say."""

from pathlib import Path

import pytest

from tests.additions import Addition, run_with

MODULE = '''
"""Questions with their answers: a line each, `question -> answer`."""

from pathlib import Path

from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import SuiteFolder
from harness.cases.suite import CaseFormat, Suite
from harness.checks.phrases import TextContains
from harness.documents import Document, Findings, Part
from harness.model import Case, Turn

ENDING = ".quiz"


def recognises(path: Path) -> bool:
    """Whether a path is a file of questions."""
    return path.name.endswith(ENDING)


def read(path: Path) -> Suite:
    """Read a file of questions; a line without an answer goes into the problems."""
    findings, entries = Findings(), []
    lines = path.read_text(encoding="utf-8").splitlines()
    document = Document(str(path), lines, {(place,): place + 1 for place in range(len(lines))})
    for place, line in enumerate(lines):
        question, arrow, answer = line.partition(" -> ")
        part = Part(document, (place,))
        id = f"Q-{place + 1}"
        if not arrow:
            findings.error(part.where(), "has no answer", "write QUESTION -> ANSWER")
            entries.append(Entry(id, part, None))
            continue
        case = Case(
            id=id,
            title=question,
            turns=(Turn(user=question),),
            expect=(TextContains(needles=(answer,)),),
            source=part.where(),
        )
        entries.append(Entry(id, part, case))
    return assemble(SuiteFolder(path.parent), path.stem, entries, findings)


QUIZ = CaseFormat("quiz", recognises, read, f"NAME{ENDING}")
'''
PROGRAM = """
from pathlib import Path

from harness.cases import read_suite
from harness.cli.main import main
from harness.errors import HarnessError

suite = read_suite(Path("birds.quiz"))
assert (suite.format, suite.name, suite.errors) == ("quiz", "birds", ()), suite
assert [case.id for case in suite.cases] == ["Q-1", "Q-2"]
wrong, = read_suite(Path("wrong.quiz")).errors
assert (wrong.where, wrong.message) == ("wrong.quiz:2", "has no answer"), wrong
try:
    read_suite(Path("harness"))
except HarnessError as error:
    assert "NAME.quiz" in error.hint, error.hint
sys.argv = ["harness", "run", "birds.quiz", "--agent", "echo"]
main()
"""
ADDITION = Addition(
    module="harness/cases/quiz.py",
    source=MODULE,
    table="harness/cases/formats.py",
    imported="from harness.cases.quiz import QUIZ",
    after="_OWN: tuple[CaseFormat, ...] = (",
    line="QUIZ, ",
)


@pytest.mark.slow
def test_a_case_format_is_added_by_a_module_and_a_line(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "world.json").write_text("{}", encoding="utf-8")
    (tmp_path / "birds.quiz").write_text(
        "Say parrot. -> parrot\nSay owl twice: owl. -> owl\n", encoding="utf-8"
    )
    (tmp_path / "wrong.quiz").write_text("Why? -> because\nHow?\n", encoding="utf-8")
    assert "cases  2/2" in run_with(ADDITION, tmp_path, PROGRAM)
