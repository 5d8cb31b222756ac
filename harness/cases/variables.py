"""Placeholders in the texts of cases, `{{PROJECT_ID}}`, filled in from what a run or a suite says.

`variables.json` beside the cases holds the suite's own values: name to value, or to
`{"value": "shop-prod", "instead_of": ["my-project-id"]}` for texts that name a stand-in and no
placeholder. What the command line says wins over the case's own variables, those win over the file.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field, RootModel, model_validator

from harness.cases.fixtures import SuiteFolder
from harness.cases.suite import Suite
from harness.cases.validation import validate_part
from harness.checks.sections import single_or_list
from harness.documents import Findings, read_json
from harness.errors import HarnessError
from harness.model import Case, Frozen, Json
from mockserver.model import did_you_mean

FILE = "variables.json"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_SPECIAL = re.compile(r"(\{\{\s*\w+\s*\}\})|([\\.+*?()\[\]{}|^$])")
_FILLED = ("turns", "reference", "title", "request")

Value = str | int | float


def variables_of(texts: Iterable[str]) -> dict[str, str]:
    """Values as the command line has them.

    Args:
        texts: `NAME=VALUE` each.

    Raises:
        HarnessError: One is not written like this.

    >>> variables_of(["PROJECT_ID=shop-prod"])
    {'PROJECT_ID': 'shop-prod'}
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise HarnessError(f"--var {text!r} is not written NAME=VALUE")
        found[name] = value
    return found


def literal_pattern(text: str) -> str:
    r"""An RE2 pattern that finds this text, placeholders left as they are.

    >>> literal_pattern("checkout-00042 (5.1 %) in {{PROJECT_ID}}")
    'checkout-00042 \\(5\\.1 %\\) in {{PROJECT_ID}}'
    """
    return _SPECIAL.sub(lambda found: found[1] or f"\\{found[2]}", text)


class SuiteVariable(Frozen):
    """A value that a suite says.

    Attributes:
        value: The value.
        instead_of: Texts that stand for it in cases, as whole words.
    """

    value: Value
    instead_of: Annotated[tuple[Annotated[str, Field(min_length=3)], ...], single_or_list(str)] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_plain_value(cls, value: Json) -> Json:
        return value if isinstance(value, dict) else {"value": value}


class VariablesFile(RootModel[dict[str, SuiteVariable]]):
    """What `variables.json` holds."""


@dataclass(frozen=True)
class _Values:
    """What is filled in: names to values, and stand-ins to names."""

    said: Mapping[str, Value]
    suite: Mapping[str, SuiteVariable]

    def of(self, case: Case) -> dict[str, Value]:
        own = {name: value for name, value in case.variables.items() if _is_value(value)}
        return {name: each.value for name, each in self.suite.items()} | own | dict(self.said)


def with_variables(suite: Suite, given: Mapping[str, Value]) -> Suite:
    """A suite with its placeholders filled in; what cannot be filled in is an error of it.

    Args:
        suite: As it was read.
        given: Values of the command line.
    """
    findings = Findings()
    values = _Values(given, _of_suite(suite, findings))
    used: set[str] = set()
    fill_one = [_with_values(case, suite, values, used, findings) for case in suite.cases]
    cases = tuple(case for case in fill_one if case.id not in findings.invalid_cases())
    known = {*values.suite, *used, *(name for case in suite.cases for name in case.variables)}
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or "no case of this suite has such a placeholder"
            findings.error(f"--var {name}", "is no variable of this suite", hint)
    return replace(suite, cases=cases, problems=(*suite.problems, *findings.problems))


def _of_suite(suite: Suite, findings: Findings) -> Mapping[str, SuiteVariable]:
    folder = SuiteFolder(suite.path)
    path = suite.path / FILE
    if not path.is_file():
        return {}
    if not folder.holds(path):
        findings.error(str(path), "is a link that leaves the suite's folder")
        return {}
    document = read_json(path, findings)
    if document is None:
        return {}
    read = validate_part(VariablesFile, document, (), findings)
    found = {} if read is None else read.root
    for name in found:
        if not _NAME.fullmatch(name):
            findings.error(document.where((name,)), f"{name!r} is no name of a variable")
    return found


def _with_values(
    case: Case, suite: Suite, values: _Values, used: set[str], findings: Findings
) -> Case:
    whole = case.model_dump(mode="json", by_alias=True)
    given = values.of(case)
    filler = _Filler(given, values.suite)
    parts = {name: filler.fill(whole[name]) for name in _FILLED if name in whole}
    parts["expect"] = [
        filler.fill(written, pattern=item.holds_patterns)
        for item, written in zip(case.expect, whole["expect"], strict=True)
    ]
    used |= filler.used | filler.missing
    for name in sorted(filler.missing):
        hint = did_you_mean(name, given) or f"give --var {name}=VALUE, or write it in {FILE}"
        with findings.of_case(case.id):
            where = suite.parts[case.id].where() if case.id in suite.parts else case.source
            findings.error(where, f"{case.id}: no value for {{{{{name}}}}}", hint)
    if not filler.used and not (values.said.keys() & case.variables.keys()):
        return case
    own = {name: values.said.get(name, value) for name, value in case.variables.items()}
    variables = {name: given[name] for name in sorted(filler.used)} | own
    return Case.model_validate(whole | parts | {"variables": variables})


class _Filler:
    """Fills texts in, and knows what it has met.

    Attributes:
        used: Names that were filled in.
        missing: Names that have no value.
    """

    def __init__(self, values: Mapping[str, Value], suite: Mapping[str, SuiteVariable]) -> None:
        self.used: set[str] = set()
        self.missing: set[str] = set()
        self._given = values
        self._stand_ins = {text: name for name, each in suite.items() for text in each.instead_of}
        longest = sorted(self._stand_ins, key=len, reverse=True)
        words = "|".join(map(re.escape, longest))
        self._words = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])") if words else None

    def fill(self, value: Json, *, pattern: bool = False) -> Json:
        """A value with the placeholders in its texts filled in; keys are left as they are.

        Args:
            value: JSON.
            pattern: Whether its texts are patterns, in which values stand for themselves.
        """
        if isinstance(value, dict):
            return {name: self.fill(item, pattern=pattern) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item, pattern=pattern) for item in value]
        return self._text(value, pattern) if isinstance(value, str) else value

    def _text(self, text: str, pattern: bool) -> str:  # noqa: FBT001
        def fill_one(name: str, written: str) -> str:
            value = self._value(name, written)
            return literal_pattern(value) if pattern and value != written else value

        text = _PLACEHOLDER.sub(lambda found: fill_one(found[1], found[0]), text)
        if self._words is not None:
            text = self._words.sub(lambda found: fill_one(self._stand_ins[found[0]], ""), text)
        return text

    def _value(self, name: str, written: str) -> str:
        if name not in self._given:
            self.missing.add(name)
            return written
        self.used.add(name)
        return str(self._given[name])


def _is_value(value: Json) -> bool:
    return isinstance(value, Value) and not isinstance(value, bool)
