"""Cloud Identity policies, as a snapshot holds them: API-shaped, or flat DLP rules."""

from mockserver.apis.cloudidentity import POLICIES, RULES
from mockserver.apis.cloudidentity.state import complete_query, generated_name, setting_type
from mockserver.errors import Problem
from mockserver.googleapi import (
    SnapshotImport,
    add_row,
    bare_org_unit,
    each_object,
    nearest,
    org_units_by_path,
)
from mockserver.googleapi.raw_snapshot import Rows
from mockserver.model import Capture, Captures, JsonObject
from mockserver.state import ACTIONS, RULE_TYPE, TRIGGERS, flat_word, rule_value

CAPTURES: Captures = {
    "cloudidentity.policies.list": (Capture("identityPolicies", "policies"),),
    "cloudidentity.policies.get": (Capture("identityPolicies"),),
}
"""Discovery id to what its answers fill."""


def import_snapshot(found: SnapshotImport) -> None:
    """Make the table of Cloud Identity policies."""
    units = org_units_by_path(found)
    rows: Rows = {}
    for pointer, raw in each_object(found, POLICIES):
        _add_policy(found, rows, pointer, raw, units)
    for pointer, raw in each_object(found, RULES):
        policy = raw if "setting" in raw else _rule_from_flat(found, pointer, raw)
        if policy is not None:
            _add_policy(found, rows, pointer, policy, units)
    found.tables[POLICIES] = rows


def _rule_from_flat(found: SnapshotImport, pointer: str, raw: JsonObject) -> JsonObject | None:
    if not raw.get("displayName"):
        found.problems.append(Problem(f"{pointer}/displayName", "a rule needs a 'displayName'"))
        return None
    triggers = raw.get("triggers") or []
    if not isinstance(triggers, list):
        found.problems.append(Problem(f"{pointer}/triggers", "expected an array of triggers"))
        return None
    for number, word in enumerate(triggers):
        _check_word(found, f"{pointer}/triggers/{number}", word, tuple(TRIGGERS))
    if not isinstance(raw.get("action", ""), dict):
        _check_word(found, f"{pointer}/action", raw.get("action", "AUDIT"), tuple(ACTIONS))
    given = str(raw.get("name") or raw.get("id") or "")
    name = given if given.startswith("policies/") else generated_name(given or raw["displayName"])
    found.changes.append((pointer, f"the flat rule becomes the policy {name} of type {RULE_TYPE}"))
    query = {"orgUnit": raw["orgUnit"]} if raw.get("orgUnit") else {}
    return {
        "name": name,
        "policyQuery": query,
        "setting": {"type": RULE_TYPE, "value": rule_value({**raw, "triggers": triggers})},
    }


def _check_word(found: SnapshotImport, pointer: str, word: object, known: tuple[str, ...]) -> None:
    text = str(word)
    if flat_word(text) not in known and "." not in text:
        near = nearest(text.upper(), known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        message = f"unknown word {text!r} in a rule, served as it is written"
        found.problems.append(Problem(pointer, message, hint, "warning"))


def _add_policy(
    found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject, units: dict[str, str]
) -> None:
    setting = raw.get("setting")
    if not isinstance(setting, dict) or not isinstance(setting.get("type"), str):
        text = "a policy needs a 'setting' with a 'type'"
        found.problems.append(Problem(f"{pointer}/setting", text))
        return
    kind = setting_type(setting["type"])
    if kind != setting["type"]:
        found.changes.append((f"{pointer}/setting/type", f"{setting['type']} becomes {kind}"))
    name = raw.get("name") or generated_name(f"{pointer}{kind}")
    query = complete_query(_import_query(found, pointer, raw, units), units.get("/", ""))
    if query != raw.get("policyQuery"):
        text = f"the policy query is completed: {query.get('query') or 'for everyone'}"
        found.changes.append((f"{pointer}/policyQuery", text))
    query.setdefault("sortOrder", len(rows) + 1)
    row = {
        "type": "ADMIN",
        **raw,
        "name": name,
        "customer": f"customers/{found.customer}",
        "policyQuery": query,
        "setting": {**setting, "type": kind},
    }
    add_row(found, rows, name, row, pointer=f"{pointer}/name", noun="policy")


def _import_query(
    found: SnapshotImport, pointer: str, raw: JsonObject, units: dict[str, str]
) -> JsonObject:
    """The raw query with its org unit as a bare id; a path is looked up."""
    given = raw.get("policyQuery") or {}
    if not isinstance(given, dict):
        text = f"expected an object, found {type(given).__name__}"
        found.problems.append(Problem(f"{pointer}/policyQuery", text))
        given = {}
    query = dict(given)
    unit = str(query.get("orgUnit", ""))
    if unit.startswith("/"):
        bare = units.get(unit.casefold(), "")
        if not bare:
            text = f"no org unit {unit!r} in this snapshot"
            hint = "the policy is served with it as it is written, and holds for nobody"
            found.problems.append(Problem(pointer, text, hint, "warning"))
        query["orgUnit"] = bare or unit
    elif unit:
        query["orgUnit"] = bare_org_unit(unit)
    return query
