"""What captured answers of the Chrome Policy API are in a snapshot."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject


def explicit_value_of(policy: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The explicit value that a resolved policy comes from; None for the customer's default.

    >>> target = {"targetResource": "orgunits/03ph2"}
    >>> source = {"targetResource": "orgunits/03ph1"}
    >>> asked = AnsweredCall("chromepolicy.customers.policies.resolve", {}, {}, {})
    >>> explicit_value_of({"targetKey": target, "sourceKey": source, "value": {}}, asked)
    {'policyTargetKey': {'targetResource': 'orgunits/03ph1'}, 'value': {}}
    """
    source = policy.get("sourceKey")
    if not isinstance(source, dict):
        return None
    target = policy.get("targetKey") or {}
    extra = source.get("additionalTargetKeys") or target.get("additionalTargetKeys")
    key = {**source, **({"additionalTargetKeys": extra} if extra else {})}
    return {"policyTargetKey": key, "value": policy.get("value", {})}


CAPTURES: Captures = {
    "chromepolicy.customers.policySchemas.list": (
        Capture("policySchemas", "policySchemas", ("schemaName",)),
    ),
    "chromepolicy.customers.policySchemas.get": (Capture("policySchemas", "", ("schemaName",)),),
    "chromepolicy.customers.policies.resolve": (
        Capture(
            "policies",
            "resolvedPolicies",
            ("policyTargetKey", "value.policySchema"),
            reshape=explicit_value_of,
        ),
    ),
}
"""Discovery id to what its answers fill."""
