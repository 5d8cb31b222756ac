"""Which service account a call is about.

The emulator knows one account by heart, its session's own; others exist as soon as they are named,
for a snapshot says nothing about them.
"""

from mockserver.googleapi import ApiError, Call, bad_fields, not_found
from mockserver.state import fixed_digits, robot_email

_PREFIX = "projects/-/serviceAccounts/"


def account_of(call: Call) -> str:
    """The address of the account that a call names by address or unique id.

    Raises:
        ApiError: 400: a project is named where a `-` must be; 404: an id that is not known.
    """
    name = str(call.params["name"])
    if not name.startswith(_PREFIX):
        text = (
            f"Invalid form of account ID {name}. Should be [Gaia ID |Email |Unique ID |] of the "
            "account"
        )
        raise ApiError(400, text, reason="badRequest")
    account = name.removeprefix(_PREFIX)
    own = robot_email(call.world)
    if account == account_id(own):
        return own
    if "@" not in account:
        text = f"Not found; Gaia id not found for email {account}"
        raise not_found(text, nearest=own, asked=account)
    return account


def account_id(email: str) -> str:
    """An account's unique id."""
    return fixed_digits(email.casefold(), 21)


def required(call: Call, field: str) -> str:
    """A field of the body that a call cannot do without.

    Raises:
        ApiError: 400.
    """
    value = call.body.get(field)
    if not value:
        raise bad_fields([(field, f"{field} is required")])
    return str(value)
