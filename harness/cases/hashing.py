"""Tells whether a case is still the case that a trial was made of."""

import hashlib
import json

from harness.model import Case, Json

_LATER: dict[str, Json] = {"cassettes": [], "repeats": "once"}
"""Keys of fixtures that came later: where nothing is said they make a case no other one."""

_NOT_MEASURED = {
    "title", "category", "tags", "notes", "source", "source_refs", "repeat", "policy",
    "deterministic",
}  # fmt: skip


def case_hash(case: Case) -> str:
    """Twelve hex digits that change with what the agent is asked, given, or held against.

    Title, category, tags, notes, repeats and policy do not count: they describe the case or decide
    over its trials, but make no trial another one.
    """
    measured = case.model_dump(mode="json", by_alias=True, exclude=_NOT_MEASURED)
    fixtures = measured["fixtures"]
    measured["fixtures"] = {
        name: value
        for name, value in fixtures.items()
        if name not in _LATER or value != _LATER[name]
    }
    text = json.dumps(measured, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
