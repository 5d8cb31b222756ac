"""Why a DLP rule did, or did not, do something."""

from harness.demo.answers import Answer
from harness.demo.flows.events import results_of
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.knowledge import DLP_TRIGGERS
from harness.demo.org_units import OrgUnits, read_org_units
from harness.demo.wording import counted, mentioned, plain

_COMMON = frozenset(
    plain(
        "a about all and any are be by can do does dlp for from have how i in into is it many not"
        " of on our out rule rules that the there this to we what when which who why with you"
    ).split()
)


def explain_rules(case: Investigation) -> Answer:
    """Find the rule a question is about, and say what keeps it from doing its work."""
    units = read_org_units(case)
    rules = case.use("listDLPRules")["rules"]
    total = counted(len(rules), "DLP rule")
    if not rules:
        return Answer(
            f"There are {total} in this tenant, so nothing is checked.",
            evidence=[f"{total} found for the whole customer"],
            hypotheses=["The rules were never created, or were deleted."],
            next_steps=["Create a rule for the data that must not leave."],
        )
    rule = _meant(case.question, rules)
    if rule is None:
        return _overview(case, units, rules)
    events = case.use("getChromeEvents", eventName="SENSITIVE_DATA_TRANSFER")["events"]
    hits = [e for e in events if _by_rule(e, rule)]
    answer = _about(case, units, rule, hits)
    answer.evidence.insert(0, f"{total} in the tenant")
    return answer


def _meant(question: str, rules: list[JsonObject]) -> JsonObject | None:
    """The rule that shares most words and triggers with the question."""
    asked = set(plain(question).split()) - _COMMON
    triggers = {name for name, words in DLP_TRIGGERS.items() if mentioned(question, words)}

    def likeness(rule: JsonObject) -> int:
        words = set(plain(f"{rule['displayName']} {rule['description']}").split()) - _COMMON
        return 2 * len(asked & words) + len(triggers & set(rule["triggers"]))

    best = max(rules, key=likeness)
    return best if likeness(best) >= _ENOUGH else None


_ENOUGH = 2


def _by_rule(event: JsonObject, rule: JsonObject) -> bool:
    reason = event["parameters"].get("TRIGGERED_RULES_REASON", "")
    return bool(rule["displayName"] in str(reason))


def _about(
    case: Investigation, units: OrgUnits, rule: JsonObject, hits: list[JsonObject]
) -> Answer:
    scope = units.path(rule["orgUnit"])
    name = f'"{rule["displayName"]}"'
    answer = Answer(
        _verdict(case, units, rule, hits),
        evidence=[
            f"{name} is {case.cite(rule['name'])}: state {rule['state']}, action "
            f"{rule['action']}, triggers {', '.join(rule['triggers'])}",
            f"it applies to {scope} ({case.cite(rule['orgUnit'])}) and below",
            f"{counted(len(hits), 'hit')} in the last 7 days"
            + (f": {results_of(hits)}" if hits else ""),
        ],
    )
    answer.hypotheses = [
        "A rule stops content only when it is active, blocks, applies to the org unit and listens"
        " to the way the content takes."
    ]
    answer.next_steps = [_remedy(rule), "Try it again and look at the events after a few minutes."]
    return answer


def _verdict(case: Investigation, units: OrgUnits, rule: JsonObject, hits: list[JsonObject]) -> str:
    name = f'The rule "{rule["displayName"]}"'
    scope = units.path(rule["orgUnit"])
    unit = units.named_in(case.question)
    if rule["state"] != "ACTIVE":
        return f"{name} is {rule['state']}: it checks nothing."
    if unit is not None and not f"{unit['path']}/".startswith(f"{scope.rstrip('/')}/"):
        return f"{name} applies to {scope}, which does not cover {unit['path']}."
    if rule["action"] == "AUDIT":
        return f"{name} is audit only: it records and lets everything pass."
    if rule["action"] == "WARN":
        return f"{name} only warns; people may go on, and did ({results_of(hits)})."
    return f"{name} is active and blocks on {scope}: {counted(len(hits), 'hit')} this week."


def _remedy(rule: JsonObject) -> str:
    if rule["state"] != "ACTIVE":
        return "Activate the rule."
    if rule["action"] in {"AUDIT", "WARN"}:
        return "Change the action to block, or narrow the condition if it meets harmless content."
    return "Widen the rule to the org unit that needs it."


def _overview(case: Investigation, units: OrgUnits, rules: list[JsonObject]) -> Answer:
    active = [rule for rule in rules if rule["state"] == "ACTIVE"]
    lines = [
        f'"{rule["displayName"]}" ({case.cite(rule["name"])}): {rule["state"]}, '
        f"{rule['action']} on {units.path(rule['orgUnit'])}"
        for rule in rules
    ]
    total = counted(len(rules), "DLP rule")
    return Answer(
        f"The tenant has {total}, {len(active)} of them active; none is about what you describe.",
        evidence=lines,
        hypotheses=["No rule covers this kind of content yet."],
        next_steps=["Create a rule for it, on the org unit that needs it."],
    )
