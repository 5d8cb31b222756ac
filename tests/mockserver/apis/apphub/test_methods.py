from collections.abc import Callable
from typing import Any

from mockserver.googleapi import ApiError
from tests.mockserver.apis.apphub.conftest import APP, PLACE

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


def test_applications_are_listed_everywhere_and_read(call: Ask) -> None:
    everywhere = call("applications.list", parent="projects/42/locations/-")["applications"]
    assert everywhere == [call("applications.get", name=APP)]
    assert call("applications.list", parent=PLACE, filter='displayName="other"') == {}


def test_what_was_discovered_is_found_by_its_uri(call: Ask, refusal: Refusal) -> None:
    found = call("discoveredServices.lookup", parent=PLACE, uri="//run/checkout")
    assert found["discoveredService"]["name"].endswith("/d1")
    workload = call("discoveredWorkloads.lookup", parent=PLACE, uri="//gke/cart")
    assert workload["discoveredWorkload"]["name"].endswith("/d2")
    assert call("discoveredServices.lookup", parent=PLACE, uri="//none") == {}
    assert refusal("discoveredServices.lookup", parent=PLACE).status == 400
    assert len(call("discoveredServices.list", parent=PLACE)["discoveredServices"]) == 1


def test_the_attachment_of_a_project_is_found(call: Ask) -> None:
    for project in ("shop", "42"):
        name = f"projects/{project}/locations/global"
        assert call("lookupServiceProjectAttachment", name=name)["serviceProjectAttachment"]
    assert call("lookupServiceProjectAttachment", name="projects/x/locations/global") == {}


def test_policies_and_permissions_of_an_application(call: Ask) -> None:
    policy = {"bindings": [{"role": "roles/viewer", "members": ["user:ann@example.com"]}]}
    kept = call("applications.setIamPolicy", {"policy": policy}, resource=APP)
    assert call("applications.getIamPolicy", resource=APP) == kept
    asked = {"permissions": ["a.b"]}
    assert call("applications.testIamPermissions", asked, resource=APP) == asked


def test_locations_are_those_of_what_is_there(call: Ask) -> None:
    found = call("list", name="projects/shop")["locations"]
    assert [place["locationId"] for place in found] == ["eu", "global"]
    assert call("get", name=PLACE)["locationId"] == "eu"
