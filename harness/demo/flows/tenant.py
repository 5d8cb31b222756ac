"""What there is, and whether we may see it."""

from harness.demo.answers import Answer
from harness.demo.flows.events import tally, top
from harness.demo.investigation import Investigation, ToolFailedError
from harness.demo.org_units import read_org_units
from harness.demo.wording import counted, listed

_PROBES = ("listOrgUnits", "getChromeEvents", "listDLPRules")


def describe_tenant(case: Investigation) -> Answer:
    """Count everything once."""
    units = read_org_units(case)
    rules = case.use("listDLPRules")["rules"]
    fleet = case.use("getFleetOverview")
    events = case.use("getChromeEvents")["events"]
    installs = sum(row["count"] for row in fleet["versions"])
    kinds = tally(event["name"] for event in events)
    return Answer(
        f"The tenant has {counted(len(units.rows) - 1, 'org unit')}, "
        f"{counted(len(rules), 'DLP rule')} and "
        f"{counted(len(fleet['browsers']), 'enrolled browser')}.",
        evidence=[
            f"{counted(len(events), 'event')} in the last 7 days: {top(kinds)}",
            f"{counted(installs, 'browser install')} report a version",
            f"root org unit {case.cite(units.root['id'])}",
        ],
        hypotheses=["Nothing in these numbers points at a fault by itself."],
        next_steps=["Ask about a setting, a rule, a machine or a kind of event."],
    )


def explain_authentication(case: Investigation) -> Answer:
    """Look at the token, then try each API with it."""
    evidence = []
    refused = []
    try:
        token = case.use("debugAuth")
        scopes = ", ".join(token["scopes"]) or "none"
        evidence.append(f"the token belongs to {token['email'] or 'nobody'}; scopes: {scopes}")
    except ToolFailedError as failure:
        evidence.append(f"the token itself: {failure.error.status} {failure.error.message}")
    for tool in _PROBES:
        try:
            case.use(tool)
            evidence.append(f"{tool} works")
        except ToolFailedError as failure:
            refused.append(tool)
            evidence.append(f"{failure.error}")
    if not refused:
        diagnosis = f"The access token works for all {len(_PROBES)} services that were tried."
    else:
        diagnosis = f"Google refuses {listed(refused)} with this access token; the rest works."
    return Answer(
        diagnosis,
        evidence=evidence,
        hypotheses=["A token expires after an hour, or is revoked with the session it came from."],
        next_steps=["Sign in again to get a new access token, then repeat the question."],
    )
