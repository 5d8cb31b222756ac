"""What captured answers of Gmail tell beside mailboxes: whose they are."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject


def _customer(profile: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The account as the one that a session's first token stands for."""
    address = profile.get("emailAddress")
    if not isinstance(address, str):
        return None
    return {"customerEmail": address, "customerDomain": address.partition("@")[2]}


CAPTURES: Captures = {
    "gmail.users.getProfile": (Capture("customer", shape="object", reshape=_customer),)
}
