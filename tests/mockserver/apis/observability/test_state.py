from collections.abc import Callable
from typing import Any

from mockserver.googleapi import ApiError
from tests.mockserver.apis.observability.conftest import DATASET, PLACE

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


def test_a_link_is_made_by_an_operation_and_goes_by_one(call: Ask, refusal: Refusal) -> None:
    made = call("buckets.datasets.links.create", {"displayName": "L"}, parent=DATASET, linkId="l")
    link = made["response"]
    assert made["metadata"]["verb"] == "create"
    assert link["createTime"]
    patched = call("buckets.datasets.links.patch", {"description": "D"}, name=link["name"])
    assert patched["response"]["description"] == "D"
    assert call("buckets.datasets.links.delete", name=link["name"])["done"]
    nowhere = f"{PLACE}/buckets/_Trace/datasets/none"
    error = refusal("buckets.datasets.links.create", {}, parent=nowhere, linkId="l")
    assert error.status == 400


def test_trace_scopes_answer_with_themselves(call: Ask) -> None:
    made = call(
        "traceScopes.create", {"resourceNames": ["projects/a"]}, parent=PLACE, traceScopeId="t"
    )
    assert made["name"] == f"{PLACE}/traceScopes/t"
    assert call("traceScopes.delete", name=made["name"]) == {}


def test_the_scope_of_a_place_is_changed(call: Ask) -> None:
    name = f"{PLACE}/scopes/_Default"
    after = call("scopes.patch", {"logScope": "x"}, name=name, updateMask="logScope")
    assert (after["logScope"], after["updateTime"]) == ("x", "2026-03-02T09:00:00.000Z")
