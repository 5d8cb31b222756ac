"""promptfoo's format: a test with a prompt is a case, its assertions are expectations.

promptfooconfig.yaml      prompts, tests, defaultTest; also `promptfooconfig.NAME.yaml`, and JSON

What has no exact counterpart is left out, each with a warning that names it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import SuiteFolder
from harness.cases.suite import CaseFormat, Suite
from harness.cases.variables import literal_pattern
from harness.documents import Document, Findings, Part, Pointer, read_yaml
from harness.errors import reason_of
from harness.model import (
    Budget,
    Case,
    Expectation,
    Json,
    JsonObject,
    Judge,
    Patterns,
    ReplySchema,
    TextMatches,
    Turn,
)

_NAMED = re.compile(r"promptfooconfig(\.[\w-]+)?\.(ya?ml|json)")
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_READ = frozenset({"description", "prompts", "providers", "targets", "tests", "defaultTest"})
_SAYS_NOTHING = frozenset({"$schema", "tags", "outputPath", "sharing", "writeLatestResults"})
_READ_OF_TEST = frozenset({"description", "vars", "assert", "metadata"})
_AGENTS = (("exec:", "command:"), ("http://", "http:http://"), ("https://", "http:https://"))


class _Test(NamedTuple):
    """A test as it is written, with what the defaults add.

    Attributes:
        pointer: Where it is.
        title: Its description, or an empty string.
        values: Its variables, one combination of them.
        asserts: Each assertion with its place.
    """

    pointer: Pointer
    title: str
    values: Mapping[str, str]
    asserts: tuple[tuple[Pointer, Json], ...]


class _NotImportableError(Exception):
    """What an assertion says has no counterpart here."""


def recognises(path: Path) -> bool:
    """Whether a path is such a file, or a folder with one."""
    return _file(path) is not None


def _file(path: Path) -> Path | None:
    if path.is_file():
        return path if _NAMED.fullmatch(path.name) else None
    found = sorted(item for item in path.glob("promptfooconfig*") if _NAMED.fullmatch(item.name))
    return next((item for item in found if item.is_file()), None)


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it, or left out, goes into its problems."""
    findings = Findings()
    file = _file(path) or path
    folder = SuiteFolder(file.parent)
    document = read_yaml(file, findings)
    entries: list[Entry] = []
    if document is not None and isinstance(document.value, dict):
        _note_left_out(document, findings)
        entries = list(_entries(document, folder.relative(file), findings))
    elif document is not None:
        findings.error(document.where(), "expected a mapping with prompts and tests")
    return assemble(folder, folder.path.resolve().name, entries, findings)


def _note_left_out(document: Document, findings: Findings) -> None:
    whole: JsonObject = document.value
    for key in whole.keys() - _READ - _SAYS_NOTHING:
        findings.warning(document.where((key,)), f"{key!r} is not imported")
    for key in ("providers", "targets"):
        named = [_provider(each) for each in _list(whole.get(key))]
        if named:
            hint = f"name the agent of a run: {' or '.join(map(_agent_option, named))}"
            said = f"{key} are not imported: {', '.join(named)}"
            findings.warning(document.where((key,)), said, hint)


def _provider(value: Json) -> str:
    if isinstance(value, dict):
        return str(value.get("id") or next(iter(value), "?"))
    return str(value)


def _agent_option(provider: str) -> str:
    for prefix, kind in _AGENTS:
        if provider.startswith(prefix):
            return f'--agent "{kind}{provider.removeprefix(prefix).strip()}"'
    family, _, name = provider.partition(":")
    return f"--agent model:{family}/{name.rpartition(':')[2]}" if name else "--agent SPEC"


def _entries(document: Document, source: str, findings: Findings) -> Iterator[Entry]:
    prompts = list(_prompts(document, findings))
    for number, test in enumerate(_tests(document, findings), start=1):
        for place, prompt in enumerate(prompts, start=1):
            id = f"test-{number}" + (f"-prompt-{place}" if len(prompts) > 1 else "")
            with findings.of_case(id):
                case = _case(id, prompt, test, document, findings)
                case = case and case.model_copy(update={"source": source})
            yield Entry(id, Part(document, test.pointer), case)


def _prompts(document: Document, findings: Findings) -> Iterator[str]:
    for number, value in enumerate(_list(document.value.get("prompts"))):
        where = document.where(("prompts", number))
        text = value.get("raw") if isinstance(value, dict) else value
        if not isinstance(text, str) or not text.strip():
            findings.error(where, "expected the text of a prompt")
        elif text.startswith("file://") or re.fullmatch(r"\S+\.(txt|json|yaml|js|ts|py|md)", text):
            findings.error(where, f"the prompt is in a file, {text!r}", "put its text here")
        elif text.lstrip().startswith("[{"):
            findings.error(where, "the prompt is a list of messages", "write what the user says")
        else:
            yield text


def _tests(document: Document, findings: Findings) -> Iterator[_Test]:
    whole: JsonObject = document.value
    default = whole.get("defaultTest")
    usual: JsonObject = default if isinstance(default, dict) else {}
    if default is not None and not isinstance(default, dict):
        findings.error(document.where(("defaultTest",)), "expected a mapping, not a file")
    if isinstance(whole.get("tests"), str):
        hint = "write the tests as a list"
        findings.error(document.where(("tests",)), "the tests are in a file", hint)
        return
    shared = tuple(_asserts(usual, ("defaultTest",)))
    for number, value in enumerate(_list(whole.get("tests"))):
        pointer: Pointer = ("tests", number)
        if not isinstance(value, dict):
            findings.error(document.where(pointer), "expected a mapping with vars and assert")
            continue
        for key in sorted({**usual, **value}.keys() - _READ_OF_TEST):
            findings.warning(document.where(pointer), f"{key!r} of the test is not imported")
        own = tuple(_asserts(value, pointer))
        title = str(value.get("description") or "")
        for values in _combinations({**_object(usual.get("vars")), **_object(value.get("vars"))}):
            yield _Test(pointer, title, values, (*shared, *own))


def _asserts(test: JsonObject, pointer: Pointer) -> Iterator[tuple[Pointer, Json]]:
    for number, value in enumerate(_list(test.get("assert"))):
        place = (*pointer, "assert", number)
        grouped = isinstance(value, dict) and value.get("type") == "assert-set"
        if grouped and "threshold" not in value:
            yield from _asserts(value, place)
        else:
            yield place, value


def _combinations(variables: JsonObject) -> Iterator[dict[str, str]]:
    """Each value of a list with each of the others, as promptfoo does it.

    Yields:
        Name to text.
    """
    names = list(variables)
    for values in product(*(_list(variables[name]) or [""] for name in names)):
        yield dict(zip(names, map(str, values), strict=True))


def _case(id: str, prompt: str, test: _Test, document: Document, findings: Findings) -> Case | None:
    where = document.where(test.pointer)
    for text in (prompt, *test.values.values()):
        if text.startswith("file://") or "{%" in text:
            said = f"{text[:40]!r} is read or computed by promptfoo"
            findings.error(where, said, "write the text itself")
            return None
    asked = _filled(prompt, test.values)
    if left := _PLACEHOLDER.search(asked):
        findings.error(where, f"the prompt has no value for {left[0]}", "add it to vars")
        return None
    expect: list[Expectation] = []
    for place, value in test.asserts:
        try:
            expect += _expectations(value, test.values)
        except _NotImportableError as error:
            findings.warning(document.where(place), str(error))
    if not expect:
        findings.error(where, "no assertion of it can be imported: it would expect nothing")
        return None
    title = test.title or ", ".join(f"{name}={value}" for name, value in test.values.items())
    return Case(id=id, title=title[:200], turns=(Turn(user=asked),), expect=_together(expect))


def _together(expect: Sequence[Expectation]) -> tuple[Expectation, ...]:
    """With all patterns in one expectation."""
    patterns = [each for item in expect if isinstance(item, TextMatches) for each in item.patterns]
    others = [item for item in expect if not isinstance(item, TextMatches)]
    return (*([_matches(*patterns)] if patterns else []), *others)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def _expectations(value: Json, values: Mapping[str, str]) -> list[Expectation]:
    kind = str(value.get("type", "")) if isinstance(value, dict) else ""
    wanted = _IMPORTED.get(kind)
    if wanted is None:
        raise _NotImportableError(f"an assertion {kind!r} is not importable: write it anew")
    if "transform" in value:
        raise _NotImportableError(f"{kind!r} with a transform is not importable: write it anew")
    try:
        return [wanted(_filled_value(value, values))]
    except ValidationError as error:
        raise _NotImportableError(f"{kind!r} is not importable: {reason_of(error)}") from None


def _filled_value(value: JsonObject, values: Mapping[str, str]) -> JsonObject:
    held = value.get("value")
    if isinstance(held, str):
        return {**value, "value": _filled(held, values)}
    if isinstance(held, list):
        texts = [_filled(each, values) if isinstance(each, str) else each for each in held]
        return {**value, "value": texts}
    return value


def _text(item: JsonObject) -> str:
    """The text that an assertion looks for.

    Raises:
        _NotImportableError: It is none, or in a file.
    """
    value = item.get("value")
    if isinstance(value, bool | list | dict) or value is None or str(value).startswith("file://"):
        raise _NotImportableError(f"{item['type']!r} without a text is not importable")
    return str(value)


def _texts(item: JsonObject) -> list[str]:
    value = item.get("value")
    if isinstance(value, str):
        return [each.strip() for each in value.split(",")]
    return [_text({**item, "value": each}) for each in _list(value)]


def _exactly(pattern: str) -> str:
    return f"(?-i:{pattern})"  # patterns here leave letter case aside, promptfoo does not


def _matches(*patterns: str) -> TextMatches:
    return TextMatches(patterns=patterns)


def _equals(item: JsonObject) -> Expectation:
    return _matches(rf"\A\s*{_exactly(literal_pattern(_text(item)))}\s*\z")


def _seconds(item: JsonObject) -> Expectation:
    return Budget(seconds=_number(item) / 1000)


def _number(item: JsonObject) -> float:
    value = item.get("threshold")
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _NotImportableError(f"{item['type']!r} without a threshold is not importable")
    return value


def _json(item: JsonObject) -> Expectation:
    schema = item.get("value")
    if schema is not None and not isinstance(schema, dict):
        raise _NotImportableError(f"{item['type']!r} with a schema in a file is not importable")
    return ReplySchema(json_schema=schema or {})


_IMPORTED: Mapping[str, Callable[[Any], Expectation]] = {
    "equals": _equals,
    "contains": lambda item: _matches(_exactly(literal_pattern(_text(item)))),
    "icontains": lambda item: _matches(literal_pattern(_text(item))),
    "contains-all": lambda item: _matches(*(_exactly(literal_pattern(x)) for x in _texts(item))),
    "icontains-all": lambda item: _matches(*map(literal_pattern, _texts(item))),
    "contains-any": lambda item: _matches(_exactly("|".join(map(literal_pattern, _texts(item))))),
    "icontains-any": lambda item: _matches("|".join(map(literal_pattern, _texts(item)))),
    "starts-with": lambda item: _matches(rf"\A{_exactly(literal_pattern(_text(item)))}"),
    "regex": lambda item: _matches(_exactly(_text(item))),
    "not-icontains": lambda item: Patterns(patterns=(f"not_contains:{_text(item)}",)),
    "is-json": _json,
    "contains-json": _json,
    "cost": lambda item: Budget(cost_usd=_number(item)),
    "latency": _seconds,
    "llm-rubric": lambda item: Judge(question=_text(item)),
}
"""Assertions that mean here what they mean there."""


def _list(value: Json) -> Sequence[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


PROMPTFOO = CaseFormat("promptfoo", recognises, read, "a promptfooconfig.yaml")
