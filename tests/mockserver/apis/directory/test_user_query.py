import pytest

from mockserver.apis.directory.users import user_filter
from mockserver.googleapi import ApiError
from mockserver.state import World


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("email:ann*", {"ann"}),
        ("email=annie@example.com", {"ann"}),
        ("name:'Ann Zimmer'", {"ann"}),
        ("givenName=bo", {"bo"}),
        ("familyName:mil*", {"dee"}),
        ("isSuspended=true", {"dee"}),
        ("isAdmin=true isSuspended=false", {"bo"}),
        ("orgUnitPath=/Eng", {"ann", "bo"}),
        ("orgUnitPath='/'", {"ann", "bo", "cy", "dee"}),
        ("directManager=cy@example.com", {"bo"}),
        ("manager='cy@example.com'", {"ann", "bo"}),
        ("job.level>6", {"cy"}),
        ("job.remote=true", {"cy"}),
        ("orgTitle:boss", set()),
        ("zim", {"ann"}),
    ],
)
def test_queries_find_users(tenant: World, query: str, found: set[str]) -> None:
    test = user_filter(tenant, query)
    rows = tenant.table("users").rows().values()
    assert {row["name"]["givenName"].lower() for row in rows if test(row)} == found


@pytest.mark.parametrize(
    "query",
    ["colour=red", "isAdmin:true", "isAdmin=yes", "name>a", "orgUnitPath=/No", "orgUnitPath>/"],
)
def test_queries_on_what_users_do_not_have_are_refused(tenant: World, query: str) -> None:
    with pytest.raises(ApiError, match="Invalid query"):
        user_filter(tenant, query)


def test_nested_fields_of_users_are_searched(tenant: World) -> None:
    user = {
        "primaryEmail": "x@example.com",
        "name": {},
        "phones": [{"value": "+491"}],
        "addresses": [{"locality": "Berlin", "country": "DE"}],
        "customSchemas": {"s": {"tags": [{"value": "a"}, "b"]}},
    }
    for query in (
        "phone=+491",
        "addressLocality=berlin",
        "address:'Berlin DE'",
        "s.tags=a",
        "s.tags=b",
    ):
        assert user_filter(tenant, query)(user), query
    assert not user_filter(tenant, "other.tags=a")(user)
