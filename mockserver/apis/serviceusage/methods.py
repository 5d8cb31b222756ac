"""What conventions do not tell of services: those not enabled, and several at once.

Source: the API's reference and recordings; texts of refusals are not verified.
"""

from collections.abc import Mapping

from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    bad_fields,
    finished_operation,
    start_operation,
)
from mockserver.model import JsonObject

_MOST = 20
_ENABLED = "type.googleapis.com/google.api.serviceusage.v1.BatchEnableServicesResponse"
_METADATA = "type.googleapis.com/google.api.serviceusage.v1.OperationMetadata"


def _get(call: Call) -> JsonObject:
    try:
        return call.answer_by_conventions()
    except ApiError as error:
        if error.status not in {404, 501}:
            raise
    name = str(call.params["name"])
    return {"name": name, "parent": name.partition("/services/")[0], "state": "DISABLED"}


def _batch_get(call: Call) -> JsonObject:
    parent, names = str(call.params["parent"]), list(call.params.get("names") or ())
    if not 0 < len(names) <= _MOST + 10:
        raise bad_fields([("names", f"There must be 1 to {_MOST + 10} names.")])
    wrong = [name for name in names if not str(name).startswith(f"{parent}/services/")]
    if wrong:
        raise bad_fields([("names", f"{wrong[0]} is not a service of {parent}.")])
    return {"services": [call.ask("serviceusage.services.get", {"name": name}) for name in names]}


def _batch_enable(call: Call) -> JsonObject:
    parent, several = str(call.params["parent"]), list(call.body.get("serviceIds") or ())
    if not 0 < len(several) <= _MOST:
        raise bad_fields([("service_ids", f"There must be 1 to {_MOST} services.")])
    names = [f"{parent}/services/{each}" for each in several]
    for name in names:
        call.ask("serviceusage.services.enable", {"name": name}, {})
    services = [call.ask("serviceusage.services.get", {"name": name}) for name in names]
    operation = f"operations/{call.world.ids.uuid('serviceusage/operation')}"
    outcome = finished_operation(operation, {"services": services}, _ENABLED)
    outcome["metadata"] = {"@type": _METADATA, "resourceNames": names}
    return start_operation(call, operation, outcome, {"name": operation}, is_pending=True)


HANDLERS: Mapping[str, Handler] = {
    "serviceusage.services.get": _get,
    "serviceusage.services.batchGet": _batch_get,
    "serviceusage.services.batchEnable": _batch_enable,
}
