from mockserver.apis.metadata.paths import service_account, values
from mockserver.apis.oauth import API
from mockserver.state import robot_email
from tests.tenants import world


def test_a_machine_is_in_the_home_project_and_runs_as_the_sessions_account() -> None:
    tenant = world(API)
    found = values(tenant)
    number = found["project"]["numericProjectId"]
    assert found["instance"]["zone"] == f"projects/{number}/zones/us-central1-a"
    assert set(found["instance"]["serviceAccounts"]) == {"default", robot_email(tenant)}
    assert values(world(API)) == found


def test_an_account_is_found_by_both_names() -> None:
    tenant = world(API)
    found = service_account(tenant, "default")
    assert found is not None
    assert found == service_account(tenant, found["email"])
    assert service_account(tenant, "other") is None
