from collections.abc import Callable

import pytest

from harness.demo.google import Google, GoogleError
from harness.demo.tools.policies import (
    apply_policy_change,
    draft_policy_change,
    get_configuration,
)

Connect = Callable[..., Google]
SAFE = "chrome.users.SafeBrowsingProtectionLevel"
PASSWORDS = "chrome.users.PasswordManager"
SRE, ENGINEERING, LABS = "03ph8a2z51nzj4k", "03ph8a2zx3qh4wr", "03ph8a2zf3m5jj0"


def sre(google: Google) -> str:
    units = google.ask(google.directory().orgunits().list(customerId="my_customer", type="all"))
    found = next(u for u in units["organizationUnits"] if u["name"] == "SRE")
    return str(found["orgUnitId"]).removeprefix("id:")


def test_an_inherited_value_names_its_source(google: Connect) -> None:
    client = google()
    (row,) = get_configuration(client, {"schema": SAFE, "orgUnit": sre(client)})["policies"]
    assert row["source"] == f"orgunits/{ENGINEERING}"
    assert row["value"] == {"safeBrowsingProtectionLevel": "ENHANCED_PROTECTION"}


def test_a_default_has_no_source(google: Connect) -> None:
    args = {"schema": "chrome.users.DeveloperTools", "orgUnit": LABS}
    (row,) = get_configuration(google(), args)["policies"]
    assert row["source"] == ""


def test_everywhere_means_wherever_it_is_set(google: Connect) -> None:
    rows = get_configuration(google(), {"schema": SAFE, "everywhere": True})["policies"]
    assert [row["source"] == row["target"] for row in rows] == [True, True]


def test_a_user_has_groups_before_the_org_unit(google: Connect) -> None:
    args = {"schema": PASSWORDS, "user": "mira.okafor@example.com"}
    found = get_configuration(google(), args)
    assert found["orgUnit"] == "/Finance"
    assert [row["value"]["passwordManagerEnabled"] for row in found["policies"]] == [
        "TRUE",
        "FALSE",
    ]
    assert list(found["groups"].values()) == ["treasury-pilot@example.com"]


def test_a_user_in_the_root_is_found_there(google: Connect) -> None:
    found = get_configuration(google(), {"schema": SAFE, "user": "admin@example.com"})
    assert found["orgUnit"] == "/"


def test_a_draft_writes_nothing(google: Connect) -> None:
    client = google()
    wish = {"schema": SAFE, "orgUnit": LABS, "value": {"safeBrowsingProtectionLevel": "X"}}
    draft = draft_policy_change(client, wish)
    assert draft["current"] == {"safeBrowsingProtectionLevel": "STANDARD_PROTECTION"}
    assert draft["proposed"] == {"safeBrowsingProtectionLevel": "X"}
    rows = get_configuration(client, {"schema": SAFE, "orgUnit": LABS})["policies"]
    assert rows[0]["source"] != f"orgunits/{LABS}"


def test_a_draft_of_an_unknown_schema_is_refused(google: Connect) -> None:
    with pytest.raises(GoogleError) as caught:
        draft_policy_change(google(), {"schema": "chrome.users.X", "orgUnit": LABS, "value": {}})
    assert caught.value.status == 404


def test_a_change_reads_back(google: Connect) -> None:
    value = {"safeBrowsingProtectionLevel": "ENHANCED_PROTECTION"}
    done = apply_policy_change(google(), {"schema": SAFE, "orgUnit": LABS, "value": value})
    assert done == {"applied": True, "value": value, "source": f"orgunits/{LABS}"}
