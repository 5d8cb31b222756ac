"""Why browsers do not enroll, or enroll into the wrong org unit."""

from harness.demo.answers import Answer
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.org_units import OrgUnits, read_org_units
from harness.demo.wording import counted, listed


def explain_enrollment(case: Investigation) -> Answer:
    """Hold an org unit against its enrollment tokens."""
    units = read_org_units(case)
    unit = units.named_in(case.question) or units.root
    found = case.use("enrollBrowser", orgUnit=unit["id"])
    here = [token for token in found["tokens"] if token["orgUnit"] == unit["id"]]
    active = [token for token in found["tokens"] if token["state"] == "ACTIVE"]
    answer = Answer(
        _verdict(unit, here, bool(found["usable"])),
        evidence=[_stated(case, units, token) for token in here or active],
        hypotheses=[
            "Tokens are not inherited: a browser lands in the org unit of the token it is given."
        ],
    )
    others = [units.path(token["orgUnit"]) for token in active if token not in here]
    answer.evidence.append(
        f"{counted(len(found['tokens']), 'token')} in the tenant; active ones for "
        f"{listed(units.path(token['orgUnit']) for token in active) or 'no org unit'}"
    )
    if found["usable"]:
        answer.next_steps = [f"Enroll with token {case.cite(found['usable'])}."]
    else:
        answer.next_steps = [f"Create a new token for {unit['path']} and roll it out."]
        if others:
            answer.next_steps.append("Until then, enroll with another one and move the browsers.")
    return answer


def _verdict(unit: JsonObject, here: list[JsonObject], usable: bool) -> str:  # noqa: FBT001
    if usable:
        return f"{unit['path']} has an enrollment token that works."
    if not here:
        return f"{unit['path']} has no enrollment token of its own."
    states = listed(sorted({str(token["state"]) for token in here}))
    return f"The enrollment token of {unit['path']} is {states}, so browsers cannot use it."


def _stated(case: Investigation, units: OrgUnits, token: JsonObject) -> str:
    return f"token {case.cite(token['id'])} for {units.path(token['orgUnit'])} is {token['state']}"
