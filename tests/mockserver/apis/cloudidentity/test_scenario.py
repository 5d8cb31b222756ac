"""Groups, their members and what is asked of both, over the API and the Directory behind it."""

from urllib.parse import urlencode

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check, over_http

FORUM = {"cloudidentity.googleapis.com/groups.discussion_forum": ""}
ME = "customers/my_customer"
DIRECTORY = "https://admin.googleapis.com/admin/directory/v1"


def scenario() -> Scenario:
    return over_http("https://cloudidentity.googleapis.com/", _ask_all)


def group(address: str, **more: object) -> JsonObject:
    return {"groupKey": {"id": address}, "parent": ME, "labels": FORUM, **more}


def _ask_all(call: Scenario) -> None:
    for name in ("ann", "bo"):
        user = {"primaryEmail": f"{name}@example.com", "password": "secret-word",
                "name": {"givenName": name, "familyName": "X"}}  # fmt: skip
        call(f"POST {DIRECTORY}/users", user)
    made = [
        call(f"POST v1/groups?initialGroupConfig={config}", group(f"{name}@example.com", **more))
        for name, config, more in (
            ("all", "EMPTY", {"displayName": "All", "description": "Everybody"}),
            ("ops", "WITH_INITIAL_OWNER", {"displayName": "Ops"}), ("dev", "EMPTY", {}),
        )
    ]  # fmt: skip
    everyone, ops, _ = (str(each["response"]["name"]) for each in made)
    _search(call)
    _change(call, ops)
    ann = _join(call, everyone, ops)
    _secure(call, ops)
    for name in (ann, ann, ops, ops):
        call(f"DELETE v1/{name}")
    call(f"GET v1/{everyone}/memberships")


def _search(call: Scenario) -> None:
    for body in (group("all@example.com"), {}, group("x@example.com", parent="customers/C9")):
        call("POST v1/groups", body)
    for query in ("", f"?parent={ME}", f"?parent={ME}&view=FULL", f"?parent={ME}&pageSize=1",
                  "?parent=customers/C9"):  # fmt: skip
        call(f"GET v1/groups{query}")
    for text in (f"parent == '{ME}'", f"parent == '{ME}' && display_name.startsWith('O')", "x",
                 f"parent == '{ME}' && '{next(iter(FORUM))}' in labels",
                 "parent == 'customers/C9'"):  # fmt: skip
        for order in ("", "display_name desc", "display_name", "colour"):
            call("GET v1beta1/groups:search?" + urlencode({"query": text, "orderBy": order}))
    for key in ("OPS@example.com", "none@example.com", ""):
        call("GET v1/groups:lookup?" + urlencode({"groupKey.id": key}))


def _change(call: Scenario, ops: str) -> None:
    for mask, body in (("displayName", {"displayName": "Operators", "description": "no"}),
                       ("display_name,description", {"displayName": "Op", "description": "Yes"}),
                       ("labels", {"displayName": "x"}), ("*",
                       {"description": "All of it"})):  # fmt: skip
        call(f"PATCH v1/{ops}?updateMask={mask}", body)
        call(f"GET v1/{ops}")


def _join(call: Scenario, everyone: str, ops: str) -> str:
    members = [
        call(f"POST v1/{ops}/memberships", {"preferredMemberKey": {"id": key}, "roles": roles})
        for key, roles in (
            ("ann@example.com", [{"name": "MEMBER"}, {"name": "MANAGER"}]), ("x@example.org", None),
            ("ann@example.com", [{"name": "MEMBER"}]), ("bo@example.com", [{"name": "KING"}]),
            ("bo@example.com", []), ("", None),
        )
    ]  # fmt: skip
    call(f"POST v1/{everyone}/memberships", {"preferredMemberKey": {"id": "ops@example.com"}})
    ann = members[0]["response"]["name"]
    for name in (ann, f"{ops}/memberships/none"):
        call(f"GET v1/{name}")
        add = {"addRoles": [{"name": "OWNER"}]}
        remove = {"removeRoles": ["MANAGER"]}
        for body in (add, remove, {"removeRoles": ["MEMBER"]}, {**add, **remove}, {}):
            call(f"POST v1/{name}:modifyMembershipRoles", body)
    for query in ("", "?view=FULL", "?pageSize=1"):
        call(f"GET v1/{ops}/memberships{query}")
    for key in ("ANN@example.com", "none@example.com"):
        call(f"GET v1/{ops}/memberships:lookup?" + urlencode({"memberKey.id": key}))
    for verb, text in (
        ("checkTransitiveMembership", "member_key_id == 'ann@example.com'"),
        ("checkTransitiveMembership", "member_key_id == 'bo@example.com'"),
        ("getMembershipGraph", "member_key_id == 'ann@example.com'"),
        ("searchTransitiveGroups", "member_key_id == 'ann@example.com'"),
        ("searchDirectGroups", "member_key_id == 'ann@example.com'"),
        ("checkTransitiveMembership", "x"),
    ):  # fmt: skip
        where = everyone if verb == "checkTransitiveMembership" else "groups/-"
        call(f"GET v1/{where}/memberships:{verb}?" + urlencode({"query": text}))
    call(f"GET v1/{everyone}/memberships:searchTransitiveMemberships")
    return str(ann)


def _secure(call: Scenario, ops: str) -> None:
    settings = f"{ops}/securitySettings"
    call(f"GET v1/{settings}?readMask=*")
    restriction = {"memberRestriction": {"query": "member.customer_id == groupCustomerId()"}}
    for body in (restriction, {}):
        call(f"PATCH v1/{settings}?updateMask=memberRestriction.query", body)
        call(f"GET v1/{settings}?readMask=*")
    call("GET v1/groups/none/securitySettings?readMask=*")


def test_groups_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
