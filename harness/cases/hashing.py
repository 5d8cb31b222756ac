"""Tells whether a case is still the case that a trial was made of."""

import hashlib
import json

from harness.model import Case, Json, JsonObject

_LATER: dict[str, dict[str, Json]] = {
    "": {"request": None, "variables": {}, "required_tools": [], "weights": {}},
    "fixtures": {"cassettes": [], "repeats": "reads", "workspace": {}},
    "expect": {"exact": False, "measure": "words", "seen_as": {}},
    "files": {"exact_case": True},
    "reference": {"reports": [], "http_status": None, "data": None, "exit_code": None},
}
"""Keys that came later, of a case and of parts of it: where nothing is said they make it no other
one."""

_NOT_MEASURED = {
    "title", "category", "tags", "notes", "source", "source_refs", "repeat", "policy",
    "deterministic",
}  # fmt: skip
_HELD_AGAINST = {"expect", "reference", "required_tools", "weights"}


def case_hash(case: Case) -> str:
    """Twelve hex digits that change with what the agent is asked, given, or held against.

    Title, category, tags, notes, repeats and policy do not count: they describe the case or decide
    over its trials, but make no trial another one.
    """
    return _digest(case, _NOT_MEASURED)


def input_hash(case: Case) -> str:
    """Twelve hex digits that change with what the agent is asked and given, and nothing else.

    Trials of a case whose expectations have changed since can be decided anew; those of a case that
    asks or gives something else cannot.
    """
    return _digest(case, _NOT_MEASURED | _HELD_AGAINST)


def _digest(case: Case, without: set[str]) -> str:
    measured = case.model_dump(mode="json", by_alias=True, exclude=without)
    measured = _without(measured, _LATER[""])
    measured["fixtures"] = _without(measured["fixtures"], _LATER["fixtures"])
    if "reference" in measured:
        turns = measured["reference"]
        measured["reference"] = [_without(turn, _LATER["reference"]) for turn in turns]
    if "expect" in measured:
        measured["expect"] = [_expectation(each) for each in measured["expect"]]
    text = json.dumps(measured, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _expectation(written: JsonObject) -> JsonObject:
    found = _without(written, _LATER["expect"])
    if "files" in found:
        found["files"] = [_without(file, _LATER["files"]) for file in found["files"]]
    return found


def _without(value: JsonObject, defaults: JsonObject) -> JsonObject:
    absent = object()
    return {name: item for name, item in value.items() if item != defaults.get(name, absent)}
