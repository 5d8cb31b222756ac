"""A small plan on disk, for the tests of captures."""

from pathlib import Path

PLAN = """\
version: 1
name: small
variables:
  customer: my_customer
  since: ${now-1d}
limits: {qps: 1000, max_pages: 3}
calls:
  - id: units
    method: directory.orgunits.list
    params: {customerId: "${customer}", type: all}
  - id: policies
    method: chromepolicy.customers.policies.resolve
    for_each: {unit: "${units.organizationUnits[*]}"}
    params: {customer: "customers/${customer}"}
    body:
      policySchemaFilter: chrome.users.*
      policyTargetKey: {targetResource: "orgunits/${unit.orgUnitId|tail}"}
    optional: true
"""


def write_plan(folder: Path, text: str = PLAN) -> Path:
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    return path
