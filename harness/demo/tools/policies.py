"""Chrome policies: what applies where and why, and changing it."""

from typing import Any

from harness.demo.google import Google, JsonObject
from harness.demo.tools.tenant import MY_CUSTOMER, bare, list_org_units

PAGE = 100
_CUSTOMER = f"customers/{MY_CUSTOMER}"


def get_configuration(google: Google, args: JsonObject) -> JsonObject:
    """What a setting is, for an org unit, for a user, or wherever it is set.

    Args:
        google: Where to ask.
        args: `schema`, and one of `orgUnit` (bare id), `user` (e-mail) and `everywhere` (true).

    Returns:
        `{"policies": [...]}`, each `{"schema", "value", "target", "source", "app"}`: target and
        source are `orgunits/<id>` or `groups/<id>`, a source is empty where Chrome's default
        applies. For a user also `orgUnit` (path) and `groups` (id to e-mail).
    """
    schema = str(args["schema"])
    if args.get("user"):
        return _for_user(google, str(args["user"]), schema)
    if args.get("everywhere"):
        units = list_org_units(google, {})["orgUnits"]
        rows = [row for unit in units for row in _resolve(google, _unit(unit["id"]), schema)]
        return {"policies": [row for row in rows if row["source"] == row["target"]]}
    return {"policies": _resolve(google, _unit(str(args["orgUnit"])), schema)}


def _for_user(google: Google, email: str, schema: str) -> JsonObject:
    """Group policies come first: they take precedence over the org unit's."""
    directory = google.directory()
    user = google.ask(directory.users().get(userKey=email), wait_until_there=True)
    unit = google.ask(
        directory.orgunits().get(
            customerId=MY_CUSTOMER, orgUnitPath=str(user["orgUnitPath"]).strip("/") or "/"
        )
    )
    groups = google.pages(
        lambda token: directory.groups().list(userKey=email, pageToken=token), "groups"
    )
    targets = [f"groups/{group['id']}" for group in groups] + [_unit(bare(unit["orgUnitId"]))]
    return {
        "policies": [row for target in targets for row in _resolve(google, target, schema)],
        "orgUnit": user["orgUnitPath"],
        "groups": {group["id"]: group["email"] for group in groups},
    }


def _unit(org_unit_id: str) -> str:
    return f"orgunits/{org_unit_id}"


def _resolve(google: Google, target: str, schema: str) -> list[JsonObject]:
    policies = google.policy().customers().policies()
    rows = google.pages(
        lambda token: policies.resolve(
            customer=_CUSTOMER,
            body={
                "policySchemaFilter": schema,
                "policyTargetKey": {"targetResource": target},
                "pageSize": PAGE,
                **({"pageToken": token} if token else {}),
            },
        ),
        "resolvedPolicies",
    )
    return [_row(row) for row in rows]


def _row(resolved: JsonObject) -> JsonObject:
    target = resolved["targetKey"]
    return {
        "schema": resolved["value"]["policySchema"],
        "value": resolved["value"].get("value", {}),
        "target": target["targetResource"],
        "source": resolved.get("sourceKey", {}).get("targetResource", ""),
        "app": target.get("additionalTargetKeys", {}).get("app_id", ""),
    }


def draft_policy_change(google: Google, args: JsonObject) -> JsonObject:
    """Say what a change would replace; nothing is written.

    Args:
        google: Where to ask.
        args: `schema`, `orgUnit` (bare id) and `value` (fields to set).

    Returns:
        `{"current": {...}, "proposed": {...}, "source": ..., "description": ...}`

    Raises:
        GoogleError: There is no such schema or org unit.
    """
    schemas = google.policy().customers().policySchemas()
    schema = google.ask(schemas.get(name=f"{_CUSTOMER}/policySchemas/{args['schema']}"))
    before = _resolve(google, _unit(str(args["orgUnit"])), str(args["schema"]))
    current: dict[str, Any] = before[0] if before else {"value": {}, "source": ""}
    return {
        "current": current["value"],
        "proposed": {**current["value"], **args["value"]},
        "source": current["source"],
        "description": schema.get("policyDescription", ""),
    }


def apply_policy_change(google: Google, args: JsonObject) -> JsonObject:
    """Set fields of a policy on an org unit and read back what applies then.

    Args:
        google: Where to ask.
        args: `schema`, `orgUnit` (bare id) and `value` (fields to set).

    Returns:
        `{"applied": whether it reads back, "value": {...}, "source": ...}`
    """
    target = _unit(str(args["orgUnit"]))
    change = {
        "policyTargetKey": {"targetResource": target},
        "policyValue": {"policySchema": args["schema"], "value": args["value"]},
        "updateMask": ",".join(args["value"]),
    }
    units = google.policy().customers().policies().orgunits()
    google.ask(units.batchModify(customer=_CUSTOMER, body={"requests": [change]}))
    after = _resolve(google, target, str(args["schema"]))
    read: dict[str, Any] = after[0] if after else {"value": {}, "source": ""}
    applied = args["value"].items() <= read["value"].items()
    return {"applied": applied, "value": read["value"], "source": read["source"]}
