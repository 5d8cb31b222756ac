"""Why a setting is what it is: inherited, overridden, from a group, or never configured."""

from collections.abc import Iterator
from typing import Any

from harness.demo.answers import Answer
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.knowledge import SETTINGS, Setting
from harness.demo.org_units import OrgUnits, read_org_units, speaks_of_org_unit
from harness.demo.wording import counted, email_in, listed, mentioned

CONFIGURATION = "getChromeConnectorConfiguration"
_WRAPPING = ("Configuration", "Configurations", "Connector")


def setting_in(text: str) -> Setting | None:
    """The setting that a text is about, by most matching words."""
    found = max(SETTINGS, key=lambda setting: len(mentioned(text, setting.words)))
    return found if mentioned(text, found.words) else None


def explain_setting(case: Investigation) -> Answer:
    """Read what applies where, and say where it comes from."""
    setting = setting_in(case.question) or next(
        (found for text in reversed(case.before) if (found := setting_in(text))), SETTINGS[0]
    )
    units = read_org_units(case)
    email = email_in(case.question)
    if email:
        return _for_user(case, setting, units, email)
    unit = units.named_in(case.question) or _named_before(case, units)
    if unit is None and speaks_of_org_unit(case.question):
        return _no_such_unit(setting, units)
    return _for_unit(case, setting, units, unit or units.root)


def _named_before(case: Investigation, units: OrgUnits) -> JsonObject | None:
    return next((u for text in reversed(case.before) if (u := units.named_in(text))), None)


def _for_unit(case: Investigation, setting: Setting, units: OrgUnits, unit: JsonObject) -> Answer:
    rows = case.use(CONFIGURATION, schema=setting.schema, orgUnit=unit["id"])["policies"]
    answer = Answer("", hypotheses=[setting.cause], next_steps=[setting.remedy])
    answer.evidence += [_stated(case, units, row) for row in rows]
    set_rows = [row for row in rows if row["source"]]
    own = [row for row in set_rows if row["source"] == row["target"]]
    if not set_rows:
        _not_configured(case, setting, units, unit, answer)
    elif own:
        _own_value(case, setting, units, unit, answer)
    else:
        source = units.path(set_rows[0]["source"])
        answer.diagnosis = (
            f"{_title(setting)} on {unit['path']} is not set there: it is inherited from "
            f"{source} ({_short(set_rows[0])})."
        )
        answer.next_steps.append(f"To deviate, set {setting.schema} on {unit['path']} itself.")
    return answer


def _own_value(
    case: Investigation, setting: Setting, units: OrgUnits, unit: JsonObject, answer: Answer
) -> None:
    parent = units.parent(unit)
    above = []
    if parent is not None:
        above = case.use(CONFIGURATION, schema=setting.schema, orgUnit=parent["id"])["policies"]
        answer.evidence += [_stated(case, units, row) for row in above]
    apps = {row["app"] for row in above if row["source"]}
    own = f"{unit['path']} has its own value for {setting.title}"
    if apps:
        answer.diagnosis = f"{own}, which takes precedence over what is set above it."
        answer.next_steps.append(f"To undo it, let {unit['path']} inherit {setting.schema} again.")
    else:
        answer.diagnosis = f"{own}; nothing above it sets one."


def _not_configured(
    case: Investigation, setting: Setting, units: OrgUnits, unit: JsonObject, answer: Answer
) -> None:
    found = case.use(CONFIGURATION, schema=setting.schema, everywhere=True)["policies"]
    where = list(dict.fromkeys(units.path(row["source"]) for row in found))
    if not answer.evidence:
        answer.evidence.append(
            f"{setting.schema} has no value on {unit['path']} ({case.cite(unit['id'])})"
        )
    answer.evidence += [_stated(case, units, row) for row in found]
    elsewhere = f"It is set on {listed(where)} only" if where else "No org unit sets it"
    answer.diagnosis = (
        f"{_title(setting)} is not configured for {unit['path']}; Chrome's default applies. "
        f"{elsewhere}."
    )
    answer.next_steps.append(f"Set {setting.schema} on {unit['path']} or above it.")


def _for_user(case: Investigation, setting: Setting, units: OrgUnits, email: str) -> Answer:
    found = case.use(CONFIGURATION, schema=setting.schema, user=email)
    groups = {f"groups/{key}": mail for key, mail in found["groups"].items()}
    answer = Answer("", hypotheses=[setting.cause], next_steps=[setting.remedy])
    home = next((row for row in units.rows if row["path"] == found["orgUnit"]), units.root)
    answer.evidence.append(f"{email} is in {home['path']} ({case.cite(home['id'])})")
    answer.evidence += [_stated(case, units, row, groups) for row in found["policies"]]
    by_group = [row for row in found["policies"] if row["target"] in groups]
    if by_group:
        answer.diagnosis = (
            f"{email} gets {setting.title} from the group {groups[by_group[0]['target']]}, "
            f"which takes precedence over the org unit {home['path']} ({_short(by_group[0])})."
        )
        answer.next_steps.append("Remove the group policy, or the account from the group.")
        return answer
    row = next(iter(found["policies"]), None)
    origin = units.path(row["source"]) if row and row["source"] else "Chrome's default"
    value = _short(row) if row else "no value"
    answer.diagnosis = (
        f"{email} is in {home['path']}, where {setting.title} comes from {origin} ({value})."
    )
    answer.next_steps.append("If that is the wrong org unit, move the account.")
    return answer


def _no_such_unit(setting: Setting, units: OrgUnits) -> Answer:
    paths = [str(row["path"]) for row in units.rows if row["path"] != "/"]
    return Answer(
        f"None of the {counted(len(paths), 'org unit')} of this tenant has that name, so "
        f"{setting.title} cannot apply to it.",
        evidence=[f"The tenant has {counted(len(paths), 'org unit')}: {', '.join(paths)}"],
        hypotheses=["The org unit was renamed or deleted, or the name is that of a group."],
        next_steps=["Check the name in the admin console and ask again with the org unit's path."],
    )


def _stated(
    case: Investigation,
    units: OrgUnits,
    row: JsonObject,
    groups: dict[str, str] | None = None,
) -> str:
    """One resolved policy as a line of evidence."""
    target, source = row["target"], row["source"]
    name = (groups or {}).get(target) or units.path(target)
    app = f" for {case.cite(row['app'])}" if row["app"] else ""
    where = f"{row['schema']}{app} on {name} ({_cited(case, target)}) is {_short(row)}"
    if not source:
        return f"{where}, Chrome's default"
    if source == target:
        return f"{where}, set right there"
    return f"{where}, inherited from {units.path(source)} ({_cited(case, source)})"


def _cited(case: Investigation, resource: str) -> str:
    kind, _, name = resource.partition("/")
    return f"{kind}/{case.cite(name)}"


def _short(row: JsonObject) -> str:
    return fields_of(row["value"])


def fields_of(value: JsonObject) -> str:
    """The fields of a policy's value as text; messages that only wrap others go unnamed.

    >>> fields_of({"onPrintConfiguration": {"delay": True, "patterns": {"on": ["*"]}}})
    'delay = true; patterns.on = *'
    """
    return "; ".join(f"{name} = {_value(each)}" for name, each in _leaves("", value))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for each in value:
            yield from _leaves(name, each)
    elif isinstance(value, dict):
        above = "" if not name or name.endswith(_WRAPPING) else f"{name}."
        for key, each in value.items():
            yield from _leaves(f"{above}{key}", each)
    else:
        yield name, value


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _title(setting: Setting) -> str:
    return setting.title[0].upper() + setting.title[1:]
