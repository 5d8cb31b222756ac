from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.apphub.conftest import APP, PLACE

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]
REGIONAL = {"scope": {"type": "REGIONAL"}}


def test_a_new_application_is_active_and_has_times(call: Ask) -> None:
    answer = call("applications.create", REGIONAL, parent=PLACE, applicationId="back-office")
    made = answer["response"]
    assert (made["state"], len(made["uid"])) == ("ACTIVE", 36)
    assert call("applications.get", name=f"{PLACE}/applications/back-office")["createTime"]
    changed = call(
        "applications.patch", {"displayName": "B"}, name=made["name"], updateMask="displayName"
    )
    assert changed["response"]["displayName"] == "B"
    call("applications.delete", name=made["name"])
    assert len(call("applications.list", parent=PLACE)["applications"]) == 1


@pytest.mark.parametrize(
    ("body", "params", "status"),
    [
        (REGIONAL, {"applicationId": "online-shop"}, 409),
        (REGIONAL, {}, 400),
        ({}, {"applicationId": "x"}, 400),
    ],
    ids=str,
)
def test_what_cannot_be_made_is_refused(
    refusal: Refusal, body: JsonObject, params: JsonObject, status: int
) -> None:
    assert refusal("applications.create", body, parent=PLACE, **params).status == status


def test_services_and_workloads_are_what_was_discovered(call: Ask, refusal: Refusal) -> None:
    body = {"discoveredService": f"{PLACE}/discoveredServices/d1"}
    made = call("applications.services.create", body, parent=APP, serviceId="checkout")
    assert made["response"]["serviceReference"] == {"uri": "//run/checkout"}
    body = {"discoveredWorkload": f"{PLACE}/discoveredWorkloads/d2"}
    made = call("applications.workloads.create", body, parent=APP, workloadId="cart")
    assert made["response"]["workloadReference"] == {"uri": "//gke/cart"}
    assert len(call("applications.workloads.list", parent=APP)["workloads"]) == 1
    wrong = {"discoveredService": "none"}
    error = refusal("applications.services.create", wrong, parent=APP, serviceId="x")
    assert error.status == 400


def test_what_is_missing_is_named(refusal: Refusal) -> None:
    error = refusal("applications.get", name=f"{PLACE}/applications/x")
    assert error.message == f"Resource '{PLACE}/applications/x' was not found"


def test_a_write_is_an_operation_of_its_location(call: Ask) -> None:
    answer = call("applications.delete", name=APP)
    assert answer["name"].startswith(f"{PLACE}/operations/operation-")
    assert answer["metadata"]["verb"] == "delete"
    assert answer["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}
    assert call("operations.get", name=answer["name"]) == answer
    assert call("operations.list", name=PLACE)["operations"] == [answer]
    assert call("operations.cancel", name=answer["name"]) == {}
    assert call("operations.delete", name=answer["name"]) == {}
