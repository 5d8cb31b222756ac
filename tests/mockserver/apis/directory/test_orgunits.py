from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.directory import API
from mockserver.apis.directory.orgunits import path_fields, put_unit, reason_to_keep
from mockserver.apis.directory.state import unit_row
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World, org_tree
from tests.tenants import ENG, ROOT, SALES, WEB, ask, refused, world

LIST, GET, INSERT, UPDATE, DELETE = (
    f"directory.orgunits.{verb}" for verb in ("list", "get", "insert", "update", "delete")
)
MINE = {"customerId": "my_customer"}


def at(path: str) -> JsonObject:
    return {**MINE, "orgUnitPath": path}


def paths(answer: JsonObject) -> list[str]:
    return [unit["orgUnitPath"] for unit in answer.get("organizationUnits", ())]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        pytest.param({}, ["/Eng", "/Sales"], id="children by default"),
        pytest.param({"type": "all"}, ["/Eng", "/Eng/Web", "/Sales"], id="all"),
        pytest.param(
            {"type": "allIncludingParent", "orgUnitPath": "/Eng"}, ["/Eng", "/Eng/Web"], id="parent"
        ),
        pytest.param(
            {"type": "ALL_INCLUDING_PARENT"}, ["/", "/Eng", "/Eng/Web", "/Sales"], id="upper snake"
        ),
        pytest.param({"type": "children", "orgUnitPath": "Eng"}, ["/Eng/Web"], id="no slash"),
        pytest.param({"orgUnitPath": f"id:{ENG}"}, ["/Eng/Web"], id="by id"),
    ],
)
def test_list_answers_by_type_and_place(
    tenant: World, params: JsonObject, found: list[str]
) -> None:
    assert paths(ask(API, tenant, LIST, {**MINE, **params})) == found


def test_an_empty_list_has_no_list(tenant: World) -> None:
    answer = ask(API, tenant, LIST, at("/Sales"))
    assert sorted(answer) == ["etag", "kind"]


def test_a_list_is_answered_anew_after_a_write(tenant: World) -> None:
    before = ask(API, tenant, LIST, MINE)
    assert ask(API, tenant, LIST, MINE) is before
    ask(API, tenant, INSERT, MINE, {"name": "Ops", "parentOrgUnitPath": "/"})
    after = ask(API, tenant, LIST, MINE)
    assert paths(after) == ["/Eng", "/Ops", "/Sales"]
    assert after["etag"] != before["etag"]


@pytest.mark.parametrize("name", ["/", "", "/Eng/Web", "eng/web", f"id:{WEB}", WEB])
def test_get_takes_paths_and_ids(tenant: World, name: str) -> None:
    unit = ask(API, tenant, GET, at(name))
    assert unit["orgUnitId"] == (f"id:{ROOT}" if name in {"/", ""} else f"id:{WEB}")
    assert unit["kind"] == "admin#directory#orgUnit"


def test_the_root_has_no_parent(tenant: World) -> None:
    assert "parentOrgUnitPath" not in ask(API, tenant, GET, at("/"))


@pytest.mark.parametrize(
    ("method", "params", "status", "message"),
    [
        pytest.param(LIST, {"customerId": "C0other"}, 403, "Not Authorized", id="other customer"),
        pytest.param(LIST, {"customerId": "me"}, 400, "Invalid Customer Id", id="no customer"),
        pytest.param(LIST, at("/Nope"), 404, "Org unit not found", id="list of nothing"),
        pytest.param(LIST, {**MINE, "type": "some"}, 400, "Invalid Input: type", id="type"),
        pytest.param(GET, at("/Enk"), 404, "Org unit not found", id="get of nothing"),
        pytest.param(DELETE, at("/Eng"), 412, "1 org units and 1 users", id="not empty"),
        pytest.param(DELETE, at("/"), 400, "Invalid Org Unit", id="the root"),
    ],
)
def test_what_cannot_be_is_refused(
    tenant: World, method: str, params: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, method, params)
    assert error.status == status
    assert message in error.message


def test_a_miss_names_the_nearest_path(tenant: World) -> None:
    miss = refused(API, tenant, GET, at("/Enk")).miss
    assert miss is not None
    assert miss.nearest == "/Eng"


@pytest.mark.parametrize(
    "parent", [{"parentOrgUnitPath": "/Eng"}, {"parentOrgUnitId": f"id:{ENG}"}], ids=["path", "id"]
)
def test_an_inserted_unit_is_there(tenant: World, parent: JsonObject) -> None:
    made = ask(API, tenant, INSERT, MINE, {"name": "Sub team", **parent})
    assert made["orgUnitPath"] == "/Eng/Sub team"
    assert made["parentOrgUnitId"] == f"id:{ENG}"
    assert made["orgUnitId"].startswith("id:03ph8a2z")
    assert ask(API, tenant, GET, at("Eng/Sub team")) == made
    assert list(tenant.diff()) == ["orgUnits"]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        pytest.param({"parentOrgUnitPath": "/"}, 400, "Invalid Ou Name", id="no name"),
        pytest.param({"name": "a/b", "parentOrgUnitPath": "/"}, 400, "Invalid Ou Name", id="slash"),
        pytest.param({"name": "a"}, 400, "Invalid Parent Orgunit Id", id="no parent"),
        pytest.param(
            {"name": "a", "parentOrgUnitPath": "/Nope"}, 400, "Invalid Parent Orgunit Id", id="gone"
        ),
        pytest.param(
            {"name": "ENG", "parentOrgUnitPath": "/"}, 409, "Entity already exists.", id="taken"
        ),
    ],
)
def test_a_bad_unit_is_not_inserted(
    tenant: World, body: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, INSERT, MINE, body)
    assert (error.status, error.message) == (status, message)


def test_a_move_carries_paths_to_units_and_users_below(tenant: World) -> None:
    moved = ask(API, tenant, UPDATE, at("/Eng"), {"parentOrgUnitPath": "/Sales"})
    assert moved["orgUnitPath"] == "/Sales/Eng"
    assert ask(API, tenant, GET, at("/Sales/Eng/Web"))["orgUnitId"] == f"id:{WEB}"
    people = {
        row["primaryEmail"]: row["orgUnitPath"] for row in tenant.table("users").rows().values()
    }
    assert people["ann@example.com"] == "/Sales/Eng/Web"
    assert people["dee@example.com"] == "/Sales"
    assert refused(API, tenant, GET, at("/Eng")).status == 404


def test_a_unit_sent_back_whole_moves_by_the_parent_that_was_changed(tenant: World) -> None:
    unit = ask(API, tenant, GET, at("/Eng/Web"))
    ask(API, tenant, UPDATE, at("/Eng/Web"), {**unit, "parentOrgUnitPath": "/Sales"})
    assert org_tree(tenant).by_id[WEB]["parentOrgUnitId"] == f"id:{SALES}"
    unit = org_tree(tenant).by_id[WEB]
    ask(API, tenant, UPDATE, at(f"id:{WEB}"), {**unit, "parentOrgUnitId": f"id:{ENG}"})
    assert org_tree(tenant).by_id[WEB]["orgUnitPath"] == "/Eng/Web"


def test_a_new_name_and_description_keep_the_place(tenant: World) -> None:
    body = {"name": "Engineering", "description": None}
    changed = ask(API, tenant, "directory.orgunits.patch", at("/Eng"), body)
    assert changed["orgUnitPath"] == "/Engineering"
    assert changed["description"] == ""
    assert org_tree(tenant).by_id[WEB]["parentOrgUnitPath"] == "/Engineering"


def test_the_root_may_be_described(tenant: World) -> None:
    root = ask(API, tenant, GET, at("/"))
    assert ask(API, tenant, UPDATE, at("/"), {**root, "description": "All"})["description"] == "All"


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        pytest.param(
            "/Eng", {"parentOrgUnitPath": "/Eng/Web"}, 400, "Invalid Parent Orgunit Id", id="cycle"
        ),
        pytest.param(
            "/Eng", {"parentOrgUnitPath": "/Eng"}, 400, "Invalid Parent Orgunit Id", id="itself"
        ),
        pytest.param("/Eng", {"name": "Sales"}, 409, "Entity already exists.", id="taken"),
        pytest.param("/Eng", {"name": ""}, 400, "Invalid Ou Name", id="empty name"),
        pytest.param("/", {"name": "New"}, 400, "Invalid Org Unit", id="root's name"),
        pytest.param(
            "/", {"parentOrgUnitPath": "/Eng"}, 400, "Invalid Org Unit", id="root's place"
        ),
        pytest.param("/Nope", {}, 404, "Org unit not found", id="gone"),
    ],
)
def test_a_bad_change_is_refused(
    tenant: World, path: str, body: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, UPDATE, at(path), body)
    assert (error.status, error.message) == (status, message)


def test_an_empty_unit_is_deleted(tenant: World) -> None:
    ask(API, tenant, INSERT, MINE, {"name": "Ops", "parentOrgUnitPath": "/"})
    assert ask(API, tenant, DELETE, at("/Ops")) == {}
    assert tenant.diff() == {}


names = st.sampled_from(["a", "b", "c", "d e"])


@given(
    st.lists(st.tuples(st.booleans(), names, st.integers(0, 20), st.integers(0, 20)), max_size=8)
)
def test_any_changes_leave_a_tree(steps: list[tuple[bool, str, int, int]]) -> None:
    tenant = world(API, customer={"id": "C0example"})
    for is_insert, name, one, other in steps:
        units = [f"id:{bare}" for bare in org_tree(tenant).by_id]
        body = {"name": name, "parentOrgUnitId": units[other % len(units)]}
        method, params = (INSERT, MINE) if is_insert else (UPDATE, at(units[one % len(units)]))
        with suppress(ApiError):
            ask(API, tenant, method, params, body)
    tree = org_tree(tenant)
    assert len(tree.below(tree.root)) == len(tree.by_id) - 1
    for bare, unit in tree.by_id.items():
        above = [str(tree.by_id[one]["name"]) for one in tree.ancestors(bare)[:-1]]
        assert unit["orgUnitPath"] == "/" + "/".join(reversed(above))


def test_a_place_below_the_root_has_one_slash(tenant: World) -> None:
    assert path_fields(org_tree(tenant), ROOT, "Ops")["orgUnitPath"] == "/Ops"
    assert path_fields(org_tree(tenant), ENG, "Ops")["orgUnitPath"] == "/Eng/Ops"


def test_browsers_move_with_their_unit(tenant: World) -> None:
    tenant.put("browsers", "b1", {"deviceId": "b1", "orgUnitPath": "/Eng/Web"})
    tenant.put("browsers", "b2", {"deviceId": "b2", "orgUnitPath": "/Engine"})
    row = unit_row({**org_tree(tenant).by_id[ENG], **path_fields(org_tree(tenant), SALES, "Eng")})
    put_unit(tenant, ENG, row)
    moved = tenant.table("browsers").rows()
    assert moved["b1"] == {"deviceId": "b1", "orgUnitPath": "/Sales/Eng/Web"}
    assert moved["b2"]["orgUnitPath"] == "/Engine"


def test_a_change_without_a_move_touches_one_row(tenant: World) -> None:
    unit = org_tree(tenant).by_id[ENG]
    put_unit(tenant, ENG, unit_row({**unit, "description": "x"}))
    assert list(tenant.diff()["orgUnits"]["changed"]) == [ENG]


def test_what_a_unit_holds_is_said_in_words(tenant: World) -> None:
    assert reason_to_keep(tenant, ENG) == "1 org units and 1 users"
    assert reason_to_keep(tenant, SALES) == "1 users"
