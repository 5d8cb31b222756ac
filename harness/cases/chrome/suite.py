"""Reads a suite in the chrome layout.

    registry.json               a list of entries, or an object with `cases` (or `evals`)
    cases/EC-001-some-name.md   one for each entry
    base/*.json                 the base snapshot; also below `fixtures/`
    EC-001/overrides.json       what one case changes; also below `fixtures/`
    EC-001/net.log              plain-text fixtures

Paths in the registry are relative to the suite; a leading `evals/` or `fixtures/` is the suite.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from harness.cases.assembly import Entry, assemble
from harness.cases.chrome.markdown import CaseText, parse
from harness.cases.chrome.registry import RegistryCase, translate_entry
from harness.cases.fixtures import Finder, SuiteFolder, name_fault, plain
from harness.cases.selection import CATEGORIES
from harness.cases.suite import CaseFormat, Suite
from harness.cases.validation import validate_part
from harness.documents import Document, Findings, Part, Pointer, read_json, read_text
from harness.model import Case, Fixtures, Json
from mockserver.model import did_you_mean

_REGISTRY = "registry.json"
_LISTS = ("cases", "evals")
_ABOUT = frozenset({"$schema", "version", "name", "description"})
"""Keys beside the list of cases that are for readers only."""

_ALIKE = 0.8
"""How alike a category and a known one are when the one is a typo of the other, of 1."""

_ID = re.compile(r"^[A-Z]{2,8}-\d{3}$")
_NAME = re.compile(r"[\w.-]{1,64}")
_SLUG = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")


def recognises(path: Path) -> bool:
    """Whether a path is a registry, or a folder with one."""
    return path.name == _REGISTRY if path.is_file() else (path / _REGISTRY).is_file()


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it goes into its problems."""
    findings = Findings()
    folder = SuiteFolder(path if path.is_dir() else path.parent)
    document = read_json(folder.path / _REGISTRY, findings)
    reader = _Reader(folder, findings)
    entries = list(reader.entries(document)) if document else []
    if document:
        reader.note_unregistered_files()
    return assemble(folder, folder.path.resolve().name, entries, findings)


@dataclass
class _Reader:
    """Reads the entries of one registry.

    Attributes:
        folder: The suite.
        findings: Where problems go.
        registered: Case files that an entry names.
    """

    folder: SuiteFolder
    findings: Findings

    def __post_init__(self) -> None:
        self.registered: set[Path] = set()

    def entries(self, document: Document) -> Iterator[Entry]:
        """Every entry of the registry, valid or not.

        Yields:
            One for each item of the list of cases.
        """
        for pointer, raw in self._items(document):
            id_ = raw.get("id") if isinstance(raw, dict) else None
            self._claim(raw)
            where = document.where(pointer)
            with self.findings.of_case(id_):
                entry = validate_part(RegistryCase, document, pointer, self.findings)
                if entry is not None:
                    self._check_category(entry, where)
                case = None if entry is None else self._case(entry, where)
            yield Entry(id_ if isinstance(id_, str) else "", Part(document, pointer), case)

    def _items(self, document: Document) -> Iterator[tuple[Pointer, Json]]:
        value = document.value
        if isinstance(value, list):
            yield from (((number,), item) for number, item in enumerate(value))
            return
        keys = [key for key in _LISTS if isinstance(value, dict) and key in value]
        if len(keys) != 1 or not isinstance(value[keys[0]], list):
            self.findings.error(
                document.where(), "expected a list of cases, or an object with a list 'cases'"
            )
            return
        for key in sorted(value.keys() - _ABOUT - {keys[0]}):
            hint = did_you_mean(key, [*_LISTS, *_ABOUT])
            self.findings.error(document.where((key,)), f"unknown key {key!r}", hint)
        yield from (((keys[0], number), item) for number, item in enumerate(value[keys[0]]))

    def _check_category(self, entry: RegistryCase, where: str) -> None:
        """A category of one's own is welcome; one that is nearly a known one is a typo."""
        near = get_close_matches(entry.category.casefold(), CATEGORIES, n=1, cutoff=_ALIKE)
        if near and entry.category not in CATEGORIES:
            hint = f"did you mean {near[0]!r}?"
            self.findings.warning(where, f"{entry.id}: unknown category {entry.category!r}", hint)

    def _claim(self, raw: Json) -> None:
        """Take note of the case file of an entry, even when the entry is invalid."""
        if isinstance(raw, dict):
            file = raw.get("case_file")
            named = [self.folder.path / plain(file)] if isinstance(file, str) else []
            id = raw.get("id")
            if isinstance(id, str) and _NAME.fullmatch(id):  # also one that is no id
                named += (self.folder.path / "cases").glob(f"{id}-*.md")
            self.registered.update(path.resolve() for path in named)

    def _case(self, entry: RegistryCase, where: str) -> Case | None:
        if not _ID.match(entry.id):
            self.findings.error(where, f"id {entry.id!r} is not of the form EC-###")
            return None
        if not entry.id.startswith("EC-"):
            self.findings.warning(where, f"id {entry.id!r} does not follow EC-###")
        text = self._text(entry, where)
        fixtures, notes = self._fixtures(entry, where)
        if text is None:
            return None
        self._agree(entry, text, where)
        if not text.turns and not entry.conversation_script:
            return None
        about = {"source": self._source(where), "notes": {**text.sections, **notes}}
        return translate_entry(entry, text.turns, fixtures, about)

    def _source(self, where: str) -> str:
        return where.removeprefix(f"{self.folder.path.as_posix()}/")

    def _text(self, entry: RegistryCase, where: str) -> CaseText | None:
        path = self._case_file(entry, where)
        text = None if path is None else read_text(path, self.findings)
        if path is None or text is None:
            return None
        found = parse(text)
        for problem in found.problems:
            self.findings.error(f"{path}:{problem.line}", problem.message, problem.hint)
        titled = found.title.split(":")[0].strip()
        if _ID.match(titled) and titled != entry.id:
            self.findings.error(f"{path}:1", f"is titled {titled!r}, its entry is {entry.id!r}")
        return found

    def _case_file(self, entry: RegistryCase, where: str) -> Path | None:
        if entry.case_file is None:
            found = sorted((self.folder.path / "cases").glob(f"{entry.id}-*.md"))
            if len(found) != 1:
                self.findings.error(where, f"{entry.id}: names no case_file", "add 'case_file'")
                return None
            return found[0]
        written = plain(entry.case_file)
        path = self.folder.path / written
        fault = name_fault(written)
        if fault or not self.folder.holds(path):
            fault = fault or "leaves the suite's folder"
            self.findings.error(where, f"case file {entry.case_file!r} {fault}")
            return None
        if not path.is_file():
            known = [item.name for item in path.parent.glob("*.md")] if path.parent.is_dir() else []
            hint = did_you_mean(path.name, known)
            self.findings.error(where, f"no case file {entry.case_file!r}", hint)
            return None
        if not _named_after(written, entry.id):
            expected = f"{entry.id}-descriptive-name.md"
            self.findings.error(where, f"case file {written.name!r} is not named {expected!r}")
        return path

    def _fixtures(self, entry: RegistryCase, where: str) -> tuple[Fixtures, dict[str, str]]:
        finder = Finder(self.folder, entry.id, self.findings)
        base = [name for name in entry.fixtures if plain(name).parts[:1] == ("base",)]
        others = [name for name in entry.fixtures if name not in base]
        layers = [name for name in others if self._is_override(name)]
        files = [name for name in others if name not in layers]
        named = finder.overrides([*(entry.overrides or ()), *layers], where)
        own = () if entry.overrides is not None else finder.own_override()
        found = finder.files(files, where)
        notes = {"Base fixtures": "loaded for every case; not listed by case"} if base else {}
        overrides = tuple(dict.fromkeys((*named, *own)))
        return Fixtures(overrides=overrides, files=found), notes

    def _is_override(self, name: str) -> bool:
        path = plain(name)
        return path.suffix == ".json" or (len(path.parts) == 1 and not path.suffix)

    def _agree(self, entry: RegistryCase, text: CaseText, where: str) -> None:
        script = tuple(turn.content for turn in entry.conversation_script)
        if script and text.turns and script != text.turns:
            self.findings.warning(
                where,
                f"{entry.id}: conversation_script and the case file say different things",
                "the script is sent",
            )
        if entry.ambiguous(len(script or text.turns)):
            self.findings.warning(
                where,
                f"{entry.id}: turn_assertions are taken to count from 1",
                "name turn 0 or the last turn to make it plain",
            )

    def note_unregistered_files(self) -> None:
        """Note every case file that no entry names."""
        for path in sorted((self.folder.path / "cases").glob("*.md")):
            if path.resolve() not in self.registered and path.stem.casefold() != "readme":
                self.findings.error(
                    str(path), "is not in the registry", f"add an entry to {_REGISTRY}"
                )


def _named_after(path: PurePosixPath, case: str) -> bool:
    slug = path.stem.removeprefix(f"{case}-")
    return path.suffix == ".md" and slug != path.stem and bool(_SLUG.match(slug))


CHROME = CaseFormat("chrome", recognises, read, "a registry.json")
