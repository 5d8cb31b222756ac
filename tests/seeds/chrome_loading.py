"""Prompts and resolved fixtures of the chrome suite, by its own loader's rules.

Its loader takes, of a case file, the first turn in bold as the prompt, or else the whole section;
a scripted case says its script. The snapshot is `api-base.json` with the case's `overrides.json`
merged over it, and of that the seven collections its tools read.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.cases import read_suite
from mockserver.storage import Suite, merge_layers
from tests.seeds.rows import Row

_SECTION = re.compile(r"##\s*conversation\s*\n(.*?)(?=\n##|\Z)", re.IGNORECASE | re.DOTALL)
_IN_BOLD = re.compile(
    r"\*\*user(?:\s*\([^)]*\))?:\*\*\s*(.*?)(?=\n\*\*|\Z)", re.IGNORECASE | re.DOTALL
)
_LABELLED = re.compile(r"^User:\s*[\"\u201c](.*?)[\"\u201d]\s*$", re.MULTILINE | re.DOTALL)
_COLLECTIONS: dict[str, type] = {
    "orgUnits": list,
    "auditEvents": dict,
    "dlpRules": list,
    "connectorPolicies": list,
    "policySchemas": list,
    "chromeReports": dict,
    "errors": dict,
}


def rows(project: Path) -> Iterator[Row]:
    """Prompt by prompt, snapshot by snapshot."""
    written = json.loads((project / "evals/registry.json").read_bytes())["cases"]
    read = {case.id: case for case in read_suite(project / "evals").cases}
    same, labelled, wrong = 0, 0, []
    for each in written:
        ours = [turn.user for turn in read[each["id"]].turns] if each["id"] in read else []
        theirs = _prompts(each, project)
        if ours == theirs:
            same += 1
        elif len(theirs) == 1 and ours == [text.strip() for text in _LABELLED.findall(theirs[0])]:
            labelled += 1
        else:
            wrong.append(f"{each['id']}: {theirs!r}, ours {ours!r}"[:200])
    notes = (
        f"{same} equal to the letter",
        f"{labelled} without the label 'User:' and its quotes, which its loader sends along",
        *wrong,
    )
    yield Row("chrome: prompts as by its own loader", same + labelled, len(written), notes)
    yield _snapshots(project, [each["id"] for each in written], read)


def _prompts(entry: dict[str, Any], project: Path) -> list[str]:
    if script := entry.get("conversation_script"):
        return [turn["content"] for turn in script]
    file = entry.get("case_file") or f"evals/cases/{entry['id']}.md"
    section = _SECTION.search((project / file).read_text("utf-8"))
    text = section[1].strip() if section else ""
    bold = _IN_BOLD.search(text)
    return [bold[1].strip() if bold else text]


def _snapshots(project: Path, ids: list[str], read: dict[str, Any]) -> Row:
    suite = Suite(project / "evals")
    base = [suite.layer(path) for path in suite.base_files()]
    good, wrong = 0, []
    for id in ids:
        names = read[id].fixtures.overrides if id in read else ()
        files = [path for name in names for path in suite.override_files(name)]
        ours = merge_layers([*base, *map(suite.layer, files)])
        if _kept(ours) == _kept(_merged(project, id)):
            good += 1
        else:
            wrong.append(id)
    return Row("chrome: resolved fixtures as by its own loader", good, len(ids), tuple(wrong))


def _kept(snapshot: Any) -> dict[str, Any]:
    return {
        name: snapshot[name]
        for name, kind in _COLLECTIONS.items()
        if isinstance(snapshot.get(name), kind)
    }


def _merged(project: Path, id: str) -> Any:
    folder = project / "evals/fixtures"
    base = json.loads((folder / "base/api-base.json").read_bytes())
    own = folder / id / "overrides.json"
    return _over(base, json.loads(own.read_bytes())) if own.is_file() else base


def _over(base: Any, change: Any) -> Any:
    """Objects key by key; anything else is replaced whole."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    more = {key: _over(base[key], value) if key in base else value for key, value in change.items()}
    return {**base, **more}
