"""Checks of a snapshot: its files, texts, faults and shapes, each problem with its place."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.apis import APIS
from mockserver.apis.tools import TOOLS
from mockserver.errors import (
    FormatError,
    InvalidFilesError,
    MissingExtraError,
    MockServerError,
    Problem,
    require_extra,
)
from mockserver.googleapi import Api, Catalog, installed_documents, nearest
from mockserver.model import Fault, Json, JsonObject, SessionSpec, did_you_mean
from mockserver.models.methods import MODEL_METHODS
from mockserver.redaction.default_rules import CREDENTIALS
from mockserver.snapshots.contracts import Contracts, items_of
from mockserver.snapshots.resolver import ResolvedSnapshot, SnapshotResolver
from mockserver.state import parse_clock_time
from mockserver.storage import APIS as APIS_FOLDER
from mockserver.storage import Suite

if TYPE_CHECKING:
    from mockserver.redaction.pattern_search import PatternSets

_BROKEN = re.compile(r"\[object \w+\]|^\s*(undefined|NaN)\s*$|(?<=[=/:])\s?(undefined|NaN)\b")
_BROKEN_PARTS = ("[object ", "undefined", "NaN")
_TOKENS = ("nextPageToken", "nextSyncToken")
_OPAQUE = re.compile(r"[A-Za-z0-9_-]{8,}")
_TURN = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_READABLE = ("displayName", "title", "primaryEmail", "email", "name")
_OWN_IDS = frozenset({"/id", "/name"})
_NOT_SHOWN = frozenset({"etag", "etags", "kind"})
_TURNS = 3
_DAY = re.compile(r"^\d{4}-\d\d-\d\d")


def find_broken_texts(raw: Mapping[str, Json]) -> Iterator[Problem]:
    """Texts that a program wrote by mistake: `[object Object]`, `undefined`, `NaN`.

    >>> [str(problem) for problem in find_broken_texts({"tools": {"a": "got [object Object]"}})]
    ["/tools/a: '[object Object]' is what a program writes by mistake (write what was meant)"]

    Yields:
        A warning for each, with its JSON pointer.
    """
    for pointer, text in _texts(raw, ""):
        found = any(each in text for each in _BROKEN_PARTS) and _BROKEN.search(text)
        if found:
            what = found[0].strip()
            message = f"{what!r} is what a program writes by mistake"
            yield Problem(pointer, message, "write what was meant", "warning")


def find_stale_page_tokens(raw: Mapping[str, Json]) -> Iterator[Problem]:
    """Page tokens of the capture, which belong to no session of the server.

    Yields:
        A warning for each, with its JSON pointer.
    """
    for key, value in raw.items():
        for name in _TOKENS:
            if key != "tools" and isinstance(value, dict) and value.get(name):
                text = "a page token of the capture; the server makes its own"
                yield Problem(f"/{key}/{name}", text, "remove it", "warning")


@dataclass(slots=True)
class _Group:
    first: str
    shown: str
    readable: str
    count: int = 0


@dataclass(slots=True)
class OpaqueValues:
    """Collects values that only a program can read, one hint for each field that has some.

    Attributes:
        names: What people call org units, by their bare id.
    """

    names: dict[str, str] = field(default_factory=dict)
    _groups: dict[tuple[str, str], _Group] = field(default_factory=dict)

    def hints(self, raw: Mapping[str, Json]) -> Iterator[Problem]:
        """A hint for each field of a collection that holds such values.

        Where the snapshot has a readable name for one, it is told.

        Yields:
            Hints with the JSON pointer of the first value.
        """
        self.names = dict(_unit_paths(raw))
        self._groups = {}
        for key, value in raw.items():
            for pointer, item in items_of(value):
                if isinstance(item, dict):
                    self._note_all(key, f"/{key}{pointer}", item)
        for (key, name), group in self._groups.items():
            shown = f"; people know it as {group.readable!r}" if group.readable else ""
            text = f"{group.shown!r} tells a person nothing{shown}"
            hint = f"{group.count} such in {name} of {key}: resolve them before they are shown"
            yield Problem(group.first, text, hint, "hint")

    def _note_all(self, key: str, pointer: str, item: JsonObject) -> None:
        own = next((str(item[name]) for name in _READABLE if _is_readable(item.get(name))), "")
        for at, text in _texts(item, ""):
            name = re.sub(r"/\d+(?=/|$)", "/*", at)
            if name.rpartition("/")[2] not in _NOT_SHOWN and is_opaque(text):
                readable = self.names.get(_bare(text), own if at in _OWN_IDS else "")
                group = self._groups.setdefault(
                    (key, name), _Group(f"{pointer}{at}", text, readable)
                )
                group.count += 1


def is_opaque(text: str) -> bool:
    """Whether a text is an identifier that tells a person nothing.

    >>> [is_opaque(each) for each in ("policies/akajj264apgibxyz5", "Engineering", "126.0.6478.61")]
    [True, False, False]
    """
    last = _bare(text)
    if not _OPAQUE.fullmatch(last) or _DAY.match(text):
        return False
    return len(_TURN.findall(last)) >= _TURNS or (last.isdigit() and len(last) > 11)


def _bare(text: str) -> str:
    return re.split(r"[/:]", text)[-1]


def _is_readable(value: Json) -> bool:
    return isinstance(value, str) and bool(value) and not is_opaque(value)


def _unit_paths(raw: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for _, unit in items_of(raw.get("orgUnits")):
        if isinstance(unit, dict) and unit.get("orgUnitId"):
            yield _bare(str(unit["orgUnitId"])), str(unit.get("orgUnitPath", ""))


def _texts(value: Json, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            at = str(key).replace("~", "~0").replace("/", "~1")
            yield from _texts(each, f"{pointer}/{at}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _texts(each, f"{pointer}/{number}")


_LARGEST = 4 * 1024 * 1024
"""Bytes; what is larger was written by a program, and is not looked into."""

_UNMISTAKABLE = frozenset(
    (
        *("private_key", "api_key", "google_access_token", "google_client_secret"),
        *("vendor_token", "putty_key", "paseto"),
    )
)
"""Rules whose patterns tell a secret by its form alone."""

_TEXTS = frozenset((".json", ".yaml", ".yml", ".md", ".txt", ".log", ".csv", ".pem", ".env"))
_MADE_UP = re.compile(r"(?i)example|redact|fake|dummy|invalid|placeholder|(.)\1{5}")


def find_double_keys(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Objects of snapshot files in which a key stands twice: only the last would be served.

    Yields:
        An error for each file.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    for path in (*suite.base_files(), *of_cases):
        text = _text(path)
        if text is None:
            continue
        found: list[str] = []

        def note_pairs(pairs: list[tuple[str, Json]], found: list[str] = found) -> JsonObject:
            value = dict(pairs)
            if len(value) < len(pairs):
                counts = Counter(key for key, _ in pairs)
                found += [key for key, count in counts.items() if count > 1]
            return value

        try:
            json.loads(text, object_pairs_hook=note_pairs)
        except (ValueError, RecursionError):
            continue  # told where it is read
        if found:
            keys = ", ".join(map(repr, dict.fromkeys(found)))
            message = f"the same key twice in one object: {keys}"
            yield Problem(_path_in(path, suite), message, "only the last would count: keep one")


_FAKE = re.compile(r"\{[{%][^{}]*\bfake\.\w")


def find_missing_extras(suite: Suite) -> Iterator[Problem]:
    """The files of a suite whose templates make up values, where the extra for it is missing.

    Yields:
        An error for each file.
    """
    of_cases = (path for case in suite.overrides() for path in suite.override_files(case))
    apis = sorted((suite.folder / APIS_FOLDER).glob("*"))
    for path in (*suite.base_files(), *of_cases, *apis):
        if path.is_file() and _FAKE.search(_text(path) or ""):
            yield from _missing_extra(
                "fake", "fake in templates needs", "faker", _path_in(path, suite)
            )


def _missing_extra(extra: str, need: str, module: str, where: str) -> Iterator[Problem]:
    """An error where a module that an extra brings is not installed.

    Yields:
        One at most.
    """
    try:
        require_extra(extra, need, {module: module})
    except MissingExtraError as error:
        yield Problem(where, error.message, error.hint)


def find_secrets(suite: Suite) -> Iterator[Problem]:
    """Texts that have the form of a key or a token, in the files of a suite.

    Yields:
        A warning for each line, without the secret.
    """
    folders = (suite.folder, suite.folder / "cases", suite.fixtures)
    inside = (path for folder in folders if folder.is_dir() for path in folder.iterdir())
    nested = suite.fixtures.glob("*/*")
    for path in dict.fromkeys((*sorted(inside), *sorted(nested))):
        text = _text(path) if path.suffix in _TEXTS and path.is_file() else None
        for line, kind in () if text is None else _secrets_in(text):
            yield Problem(
                f"{_path_in(path, suite)}:{line}",
                f"this has the form of a secret ({kind.replace('_', ' ')})",
                "if it is one, withdraw it and write an invented value",
                "warning",
            )


def find_future_times(raw: JsonObject, now: datetime) -> Iterator[Problem]:
    """A snapshot that says that it was taken after now.

    Yields:
        A warning with its JSON pointer.
    """
    try:
        captured = parse_clock_time(str(raw.get("capturedAt")))
    except (ValueError, TypeError):
        return
    if captured > now:
        message = f"'capturedAt' is in the future: {raw['capturedAt']}"
        hint = "say when the snapshot was taken: the clock 'shift' moves all timestamps by it"
        yield Problem("/capturedAt", message, hint, "warning")


def find_misnamed_base(suite: Suite) -> Iterator[Problem]:
    """A folder that is nearly called `base`, where there is none of that name.

    Yields:
        A warning for it.
    """
    if suite.base_files():
        return
    for folder in sorted(suite.fixtures.iterdir()):
        name = folder.name.casefold()
        near = name.removesuffix("s") in {"base", "baseline", "bas"} or name.startswith("base")
        if near and folder.is_dir() and any(folder.glob("*.json")):
            message = "is read by nobody: there is no snapshot in a folder named base"
            yield Problem(_path_in(folder, suite), message, "name it base", "warning")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None


def _path_in(path: Path, suite: Suite) -> str:
    return path.relative_to(suite.folder).as_posix()


def _secrets_in(text: str) -> Iterator[tuple[int, str]]:
    which, patterns = _patterns()
    for kind, pattern in (patterns[place] for place in which.matching(text.encode())):
        for found in pattern.finditer(text):
            if not _MADE_UP.search(found.group()):
                yield text.count("\n", 0, found.start()) + 1, kind


@cache
def _patterns() -> "tuple[PatternSets, list[tuple[str, re.Pattern[str]]]]":
    """Which of some patterns a text holds, and these patterns, with the names of their rules."""
    import re2

    from mockserver.redaction.pattern_search import PatternSets

    rules = [rule for rule in CREDENTIALS if rule.name in _UNMISTAKABLE and rule.pattern]
    which = PatternSets(re2.Set.SearchSet, [(rule, rule.pattern) for rule in rules])
    return which, [(rule.name, re.compile(rule.pattern)) for rule in rules]


_OWN = ("tools.list", "metadata.token", "metadata.identity", "metadata.get")
"""Methods that no document has."""

_GLOB = re.compile(r"[*?\[]")


class FaultMethods:
    """The method ids that a fault may name.

    Args:
        apis: The emulated APIs.
    """

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = apis

    def problems(self, faults: Iterable[Fault], tools: Iterable[str]) -> Iterator[Problem]:
        """One warning for each fault whose method names nothing.

        Args:
            faults: The faults of a snapshot.
            tools: The tools of the snapshot's own.

        Yields:
            The warning, its place a JSON pointer of the snapshot.
        """
        own = [f"tools.{name}" for name in tools]
        for fault in faults:
            if not self._is_known(fault.method, own):
                yield Problem(
                    _place(fault.origin),
                    f"no method is named {fault.method!r}, so this fault is never met",
                    self._nearest(fault.method, own),
                    "warning",
                )

    def _is_known(self, method: str, own: Sequence[str]) -> bool:
        if not _GLOB.search(method):
            return method in own or method in self._emulated_ids or self._is_not_emulated(method)
        names = (*own, *self._emulated_ids)
        return any(fnmatchcase(name, method) for name in names) or self._is_not_emulated(method)

    def _nearest(self, method: str, own: Sequence[str]) -> str:
        """A hint: of the API that the method names, if there is one."""
        name = method.partition(".")[0]
        documented = tuple(_documented_ids(name))
        if not documented and "." in method:
            documented = tuple(
                _documented_ids(nearest(name, (e.name for e in installed_documents().entries)))
            )
        return did_you_mean(method, (*documented, *own, *self._emulated_ids))

    @cached_property
    def _emulated_ids(self) -> frozenset[str]:
        ids = {method_id for api in self._apis for method_id in api.handlers}
        return frozenset({*ids, *(f"tools.{name}" for name in TOOLS), *_OWN, *MODEL_METHODS})

    def _is_not_emulated(self, method: str) -> bool:
        """Whether a document has it that is not emulated; most are found by their name.

        One that may be of any API is believed: to know better, all documents would be read.
        """
        name = method.partition(".")[0]
        if _GLOB.search(name) or any(fnmatchcase(each, method) for each in _documented_ids(name)):
            return True
        return any(fnmatchcase(each.id, method) for each in self._catalog.methods())

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog(
            preferred=[document for api in self._apis for document in api.documents],
            supplements=[document for api in self._apis for document in api.supplements],
        )


def _documented_ids(name: str) -> Iterator[str]:
    folder = installed_documents()
    for entry in folder.entries:
        if entry.name == name:
            yield from folder.load(entry.path).methods


def _place(origin: str) -> str:
    """The JSON pointer of a fault's origin, `faults[0]` or `errors.name`.

    >>> _place("faults[0]"), _place("errors.dlpRules")
    ('/faults/0', '/errors/dlpRules')
    """
    return "/" + origin.replace("[", "/").replace("]", "").replace(".", "/", 1)


def tools_of(raw: Mapping[str, Json]) -> Iterable[str]:
    """The names of the tools that a snapshot brings."""
    tools = raw.get("tools")
    return tools if isinstance(tools, dict) else ()


LONG_FIXTURE = 64 * 1024
"""Bytes of one case's file above which an agent is likely to miss what matters in it."""


@dataclass(frozen=True)
class LintReport:
    """What a check of one suite found.

    Attributes:
        snapshots: How many snapshots were resolved.
        problems: Errors and warnings, each once, in order of discovery; hints last.
    """

    snapshots: int
    problems: tuple[Problem, ...]


def lint_suite(
    folder: Path,
    *,
    content: bool = True,
    hints: bool = False,
    now: datetime | None = None,
    worlds: SnapshotResolver | None = None,
) -> LintReport:
    """Resolve every snapshot of a suite and collect what is wrong.

    Args:
        folder: The suite.
        content: Also hold resources against the Discovery documents, and look for texts that a
            program wrote by mistake, stale page tokens, secrets and fixtures that are too long.
        hints: Also tell values that no person can read.
        now: What no snapshot was taken after; None: that is not looked at.
        worlds: Resolves the snapshots of the same folder, and keeps them for sessions.

    Raises:
        FormatError: There is no such folder.
    """
    worlds = worlds or SnapshotResolver(folder)
    suite = Suite(folder)
    contracts = Contracts(APIS) if content else None
    linter = _Linter(FaultMethods(APIS), contracts, hints=hints, now=now)
    found: dict[Problem, None] = {}
    overrides = suite.overrides()
    for case in (None, *overrides):
        found.update(dict.fromkeys(_problems_of(worlds, linter, folder, case)))
    found.update(dict.fromkeys(_unreadable(suite, overrides)))
    found.update(dict.fromkeys(find_double_keys(suite, overrides)))
    found.update(dict.fromkeys(find_missing_extras(suite)))
    for api in worlds.declared.apis:
        found.update((_inside(each, folder), None) for each in api.document_problems())
        keys = (each for each in api.auth_problems() if hints or each.level != "hint")
        found.update((_inside(each, folder), None) for each in keys)
    if content:
        found.update(dict.fromkeys(find_misnamed_base(suite)))
        found.update(dict.fromkeys(find_secrets(suite)))
        found.update(dict.fromkeys(_long_fixtures(suite, overrides)))
    ordered = sorted(found, key=lambda problem: problem.level == "hint")
    return LintReport(snapshots=1 + len(overrides), problems=tuple(ordered))


@dataclass(frozen=True)
class _Linter:
    """What is asked of each resolved snapshot."""

    methods: FaultMethods
    contracts: Contracts | None
    hints: bool
    now: datetime | None

    def problems(self, resolved: ResolvedSnapshot, case: str | None) -> Iterator[Problem]:
        """What is wrong in one.

        Yields:
            Problems; `where` is a JSON pointer into the snapshot.
        """
        yield from self.methods.problems(resolved.base.faults, tools_of(resolved.raw))
        if any(stub.get("socket") for stub in resolved.base.stubs):
            need = "stubs that are WebSockets need"
            yield from _missing_extra("websocket", need, "websockets", "/http")
        if self.now is not None:
            yield from find_future_times(resolved.raw, self.now)
        if self.contracts is not None:
            yield from self.contracts.problems(resolved.raw)
            yield from find_broken_texts(resolved.raw)
            yield from find_stale_page_tokens(resolved.raw)
        if self.hints and case is None:
            yield from OpaqueValues().hints(resolved.raw)


def _unreadable(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Every broken file, also one that is not come to because the base is broken.

    Yields:
        One problem for each file.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    for path in (*suite.base_files(), *of_cases):
        try:
            suite.layer(path)
        except FormatError as error:
            yield _inside(error.problem, suite.folder)
        except MockServerError as error:
            yield Problem(path.relative_to(suite.folder).as_posix(), error.message, error.hint)


def _problems_of(
    worlds: SnapshotResolver, linter: _Linter, folder: Path, case: str | None
) -> Iterator[Problem]:
    try:
        resolved = worlds.resolve(SessionSpec(case=case))
        yield from resolved.problems()
        for problem in linter.problems(resolved, case):
            yield replace(problem, where=resolved.where(problem.where))
    except FormatError as error:
        yield _inside(error.problem, folder)
    except InvalidFilesError as error:
        yield from (_inside(problem, folder) for problem in error.problems)
    except MockServerError as error:
        yield Problem(case or "base", error.message, error.hint)


def _inside(problem: Problem, folder: Path) -> Problem:
    """A problem whose place is told as those of readable files are: relative to the suite."""
    return replace(problem, where=problem.where.removeprefix(f"{folder}/"))


def _long_fixtures(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Files that belong to one case alone, and are so long that what matters in them is lost.

    Yields:
        A warning for each.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    texts = suite.fixtures.glob("*/*.txt"), suite.fixtures.glob("*/*.log")
    for path in (*of_cases, *sorted(each for found in texts for each in found)):
        size = path.stat().st_size
        if size > LONG_FIXTURE:
            yield Problem(
                path.relative_to(suite.folder).as_posix(),
                f"{size // 1024} KiB are much for the fixture of one case",
                "keep only what triggers the scenario",
                "warning",
            )
