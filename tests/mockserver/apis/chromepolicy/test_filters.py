import pytest

from mockserver.apis.chromepolicy import API
from mockserver.apis.chromepolicy.schemas import is_schema_filter, matching_schemas
from mockserver.state import World
from tests.tenants import ask, refused

LIST = "chromepolicy.customers.policySchemas.list"
MINE = {"parent": "customers/my_customer"}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("chrome.users.ShowLogoutButton", True),
        ("chrome.users.*", True),
        ("chrome.users.apps.*", True),
        ("chrome.printers.*", True),
        ("chrome.users.Show*", True),
        ("*", False),
        ("*.users", False),
        ("chrome.*", False),
        ("chrome.*.apps.*", False),
        ("chrome.users.A,chrome.users.B", False),
        ("", False),
    ],
)
def test_wildcards_are_for_the_leaf_only(text: str, valid: bool) -> None:
    assert is_schema_filter(text) is valid


def test_a_wildcard_stays_within_its_namespace() -> None:
    known = ("chrome.users.Ab", "chrome.users.Bc", "chrome.users.apps.Ab")
    assert matching_schemas("chrome.users.*", known) == known[:2]
    assert matching_schemas("chrome.users.A*", known) == known[:1]
    assert matching_schemas("chrome.users.apps.Ab", known) == known[2:]


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("name=chrome.users", ["Incognito", "InstallType", "Pinned"]),
        ("namespace=chrome.users", ["Incognito"]),
        ("namespace=CHROME.USERS.APPS", ["InstallType", "Pinned"]),
        ("description=installed", ["InstallType"]),
        ("windows", ["Incognito"]),
        ("access_restrictions=premium", ["Incognito"]),
        ("policy_api_lifecycle=API_CURRENT", ["Incognito"]),
        ("field_descriptions.field=maxwindows", ["Incognito"]),
        ('field_descriptions.input_constraint="1 to 9"', ["Incognito"]),
        ("field_descriptions.description=mode", ["Incognito"]),
        ("additional_target_keys:app_id", ["InstallType", "Pinned"]),
        ("(namespace=chrome.users.apps) AND (NOT name=Pinned)", ["InstallType"]),
        ("namespace=chrome.devices OR name=Pinned", ["Reboot", "Pinned"]),
        ("namespace!=chrome.users.apps", ["Reboot", "Incognito"]),
    ],
)
def test_schemas_are_listed_by_filter(tenant: World, text: str, leaves: list[str]) -> None:
    found = ask(API, tenant, LIST, {**MINE, "filter": text})["policySchemas"]
    assert [item["schemaName"].rpartition(".")[2] for item in found] == leaves


@pytest.mark.parametrize("text", ["colour=red", "(name=x", "near(x)"])
def test_what_is_no_filter_is_refused(tenant: World, text: str) -> None:
    error = refused(API, tenant, LIST, {**MINE, "filter": text})
    assert (error.status, error.message[:14]) == (400, "Invalid filter")
