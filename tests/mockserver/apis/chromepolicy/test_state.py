from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.chromepolicy import API
from mockserver.apis.chromepolicy.state import (
    Target,
    known_schemas,
    remove_value,
    resolve,
    set_value,
)
from mockserver.state import World
from tests.tenants import ENG, ROOT, SALES, WEB, world

PATHS = {ROOT: (ROOT,), ENG: (ENG, ROOT), WEB: (WEB, ENG, ROOT), SALES: (SALES, ROOT)}
UNITS = tuple(PATHS)
SCHEMA = "chrome.users.X"


def unit(bare: str) -> Target:
    return Target("orgunits", bare)


def test_schemas_that_only_have_values_are_known_too(tenant: World) -> None:
    before = known_schemas(tenant)
    set_value(tenant, unit(ENG), SCHEMA, {"a": 1})
    assert known_schemas(tenant) == tuple(sorted((*before, SCHEMA)))


@given(st.dictionaries(st.sampled_from(UNITS), st.integers()), st.sampled_from(UNITS))
def test_the_first_explicit_value_on_the_way_up_holds(values: dict[str, int], at: str) -> None:
    tenant = world(API)
    for bare, number in values.items():
        set_value(tenant, unit(bare), SCHEMA, {"n": number})
    expected = next((bare for bare in PATHS[at] if bare in values), None)
    found = [(item.source, item.value) for item in resolve(tenant, unit(at), [SCHEMA])]
    wanted = [] if expected is None else [(f"orgunits/{expected}", {"n": values[expected]})]
    assert found == wanted


@given(st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_taking_a_value_away_undoes_setting_it(at: str, seen_from: str) -> None:
    tenant = world(API)
    set_value(tenant, unit(ROOT), SCHEMA, {"n": 0})
    before = resolve(tenant, unit(seen_from), [SCHEMA])
    if at != ROOT:
        set_value(tenant, unit(at), SCHEMA, {"n": 1})
        remove_value(tenant, unit(at), SCHEMA)
    remove_value(tenant, unit(at), "chrome.users.Y")
    assert resolve(tenant, unit(seen_from), [SCHEMA]) == before


def test_a_policy_whose_target_is_the_customer_holds_where_nothing_is_nearer() -> None:
    """The live API knows no such target, but snapshots about a wrong scope hold it."""
    target = {"targetResource": "customers/C0example"}
    policy = {"sourceKey": target, "value": {"policySchema": SCHEMA, "value": {"n": 1}}}
    tenant = world(API, connectorPolicies=[policy])
    [found] = resolve(tenant, unit(ENG), [SCHEMA])
    assert (found.source, found.value) == ("customers/C0example", {"n": 1})
    set_value(tenant, unit(ROOT), SCHEMA, {"n": 2})
    [found] = resolve(tenant, unit(ENG), [SCHEMA])
    assert (found.source, found.value) == (f"orgunits/{ROOT}", {"n": 2})
