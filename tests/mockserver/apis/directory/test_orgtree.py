from mockserver.apis.directory.orgunits import held_by, place, rewrite
from mockserver.apis.directory.state import unit_row
from mockserver.state import World, org_tree
from tests.tenants import ENG, ROOT, SALES


def test_a_place_below_the_root_has_one_slash(tenant: World) -> None:
    assert place(tenant, ROOT, "Ops")["orgUnitPath"] == "/Ops"
    assert place(tenant, ENG, "Ops")["orgUnitPath"] == "/Eng/Ops"


def test_browsers_move_with_their_unit(tenant: World) -> None:
    tenant.put("browsers", "b1", {"deviceId": "b1", "orgUnitPath": "/Eng/Web"})
    tenant.put("browsers", "b2", {"deviceId": "b2", "orgUnitPath": "/Engine"})
    row = unit_row({**org_tree(tenant).by_id[ENG], **place(tenant, SALES, "Eng")})
    rewrite(tenant, ENG, row)
    moved = tenant.table("browsers").rows()
    assert moved["b1"] == {"deviceId": "b1", "orgUnitPath": "/Sales/Eng/Web"}
    assert moved["b2"]["orgUnitPath"] == "/Engine"


def test_a_change_without_a_move_touches_one_row(tenant: World) -> None:
    unit = org_tree(tenant).by_id[ENG]
    rewrite(tenant, ENG, unit_row({**unit, "description": "x"}))
    assert list(tenant.diff()["orgUnits"]["changed"]) == [ENG]


def test_what_a_unit_holds_is_said_in_words(tenant: World) -> None:
    assert held_by(tenant, ENG) == "1 org units and 1 users"
    assert held_by(tenant, SALES) == "1 users"
