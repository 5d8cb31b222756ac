"""Changing things: a policy after it was drafted, or a new DLP rule."""

from typing import Any

from harness.demo.answers import Answer
from harness.demo.flows.settings import setting_in
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.knowledge import DLP_ACTIONS, DLP_DETECTORS, DLP_TRIGGERS, Setting
from harness.demo.org_units import OrgUnits, read_org_units
from harness.demo.wording import counted, mentioned


def draft_change(case: Investigation) -> Answer:
    """Say what a change would replace, and ask for a go."""
    units = read_org_units(case)
    wish = _wish(case.question, units)
    if wish is None:
        return _unclear()
    setting, unit, value = wish
    draft = case.use("draftPolicyChange", schema=setting.schema, orgUnit=unit["id"], value=value)
    source = units.path(draft["source"]) if draft["source"] else "Chrome's default"
    return Answer(
        f"Draft: {setting.title} on {unit['path']} becomes {_fields(value)}. Nothing is changed "
        "yet.",
        evidence=[
            f"{setting.schema} on {unit['path']} (orgunits/{case.cite(unit['id'])}) is now "
            f"{_fields(draft['current']) or 'not set'}, from {source}",
        ],
        hypotheses=["Org units below without their own value will follow."],
        next_steps=['Say "apply it" to make the change.'],
    )


def apply_change(case: Investigation) -> Answer:
    """Make the change that was drafted last, and read it back."""
    units = read_org_units(case)
    wishes = [wish for text in reversed(case.before) if (wish := _wish(text, units))]
    if not wishes:
        return _unclear()
    setting, unit, value = wishes[0]
    done = case.use("applyPolicyChange", schema=setting.schema, orgUnit=unit["id"], value=value)
    outcome = "was changed" if done["applied"] else "was sent, but does not read back yet"
    return Answer(
        f"{setting.title[0].upper()}{setting.title[1:]} on {unit['path']} {outcome}.",
        evidence=[
            f"{setting.schema} on {unit['path']} (orgunits/{case.cite(unit['id'])}) reads "
            f"{_fields(done['value'])}, from {units.path(done['source'])}",
        ],
        hypotheses=["Browsers take it over at their next policy fetch."],
        next_steps=["Open chrome://policy on one machine and reload the policies."],
    )


def create_rule(case: Investigation) -> Answer:
    """Create a DLP rule from what the question names, and read it back."""
    units = read_org_units(case)
    unit = units.named_in(case.question) or units.root
    wanted = {
        "trigger": _first(case.question, DLP_TRIGGERS, "upload"),
        "action": _first(case.question, DLP_ACTIONS, "AUDIT"),
        "detector": _first(case.question, DLP_DETECTORS, "CREDIT_CARD_NUMBER"),
        "orgUnit": unit["id"],
    }
    kind = mentioned(case.question, DLP_DETECTORS[wanted["detector"]])
    subject = kind[0] if kind else wanted["detector"].replace("_", " ").lower()
    name = f"{wanted['action'].title()} {subject} on {wanted['trigger']}"
    made = case.use("createDLPRule", displayName=name, **wanted)
    rule = made["rule"] or {}
    return Answer(
        f'The rule "{name}" was created for {unit["path"]}.'
        if made["created"]
        else f'The rule "{name}" was sent, but is not listed yet.',
        evidence=[
            f'"{name}" is {case.cite(rule.get("name", "not listed"))}, action {wanted["action"]}',
            f"it applies to {unit['path']} ({case.cite(unit['id'])}) and below",
            f"{counted(made['rules'], 'DLP rule')} in the tenant now",
        ],
        hypotheses=["Browsers follow the rule once they have fetched it."],
        next_steps=["Try it with a harmless file and look at the events."],
    )


def _wish(text: str, units: OrgUnits) -> tuple[Setting, JsonObject, dict[str, Any]] | None:
    """The change that a text asks for: setting, org unit, fields."""
    setting = setting_in(text)
    unit = units.named_in(text)
    if setting is None or unit is None:
        return None
    value = next((fields for words, fields in setting.choices if mentioned(text, words)), None)
    return None if value is None else (setting, unit, value)


def _first(text: str, table: Any, otherwise: str) -> str:
    return next((name for name, words in table.items() if mentioned(text, words)), otherwise)


def _fields(value: JsonObject) -> str:
    return "; ".join(
        f"{name} = {str(field).lower() if isinstance(field, bool) else field}"
        for name, field in value.items()
    )


def _unclear() -> Answer:
    return Answer(
        "I cannot tell what to change.",
        evidence=["a change needs a setting, a value and an org unit"],
        hypotheses=["One of the three was not named, or not in words I know."],
        next_steps=['Ask like this: "Draft turning incognito off for /Sales/EMEA".'],
    )
