"""System parameters: what every method takes beside its own parameters."""

from collections.abc import Mapping
from dataclasses import dataclass

from mockserver.googleapi.errors import ApiError, invalid

_NAMES: Mapping[str, str] = {
    "alt": "alt",
    "prettyPrint": "pretty_print",
    "pp": "pretty_print",
    "fields": "fields",
    "key": "key",
    "access_token": "access_token",
    "oauth_token": "access_token",
    "bearer_token": "access_token",
    "quotaUser": "quota_user",
    "userIp": "quota_user",
    "callback": "callback",
    "userProject": "user_project",
    ".xgafv": "xgafv",
}
_UNUSED = frozenset({"uploadType", "upload_protocol", "trace", "ct", "req", "unique"})
_NO = frozenset({"false", "0", "f", "no", "n"})
_ENUM_NUMBERS = "enum-encoding=int"


@dataclass(frozen=True, slots=True)
class System:
    """The system parameters of one request.

    Attributes:
        alt: What is answered: `json`, or `media` for the content of a resource.
        pretty_print: Whether the answer is indented.
        fields: The field mask as sent, or an empty string.
        key: API key.
        access_token: A token given as `access_token` or `oauth_token`.
        quota_user: Whose quota it is.
        callback: Always empty: JSONP is refused.
        user_project: The project that pays.
        enum_encoding_int: Whether enums were asked for as numbers.
        xgafv: Error format that was asked for: `1` (`errors[]`), `2` (`status`) or an empty string.
    """

    alt: str = "json"
    pretty_print: bool = True
    fields: str = ""
    key: str = ""
    access_token: str = ""
    quota_user: str = ""
    callback: str = ""
    user_project: str = ""
    enum_encoding_int: bool = False
    xgafv: str = ""


def system_name(name: str) -> str | None:
    """The `System` attribute that a query parameter sets, or None when it sets none.

    Every one may be written with a leading `$`. One that this server accepts and has no use for is
    an empty string.

    >>> system_name("$alt"), system_name("uploadType"), system_name("customer")
    ('alt', '', None)
    """
    bare = name.removeprefix("$")
    known = _NAMES.get(bare)
    if known:
        return known
    return "" if bare in _UNUSED else None


def read_system(sent: Mapping[str, str], *, media: bool = False) -> System:
    """Read system parameters by attribute name; `media` where the method has some to download."""
    option = sent.get("alt", "").partition(";")[2]
    return System(
        alt="media" if media and sent.get("alt") == "media" else "json",
        pretty_print=sent.get("pretty_print", "true").lower() not in _NO,
        fields=sent.get("fields", ""),
        key=sent.get("key", ""),
        access_token=sent.get("access_token", ""),
        quota_user=sent.get("quota_user", ""),
        user_project=sent.get("user_project", ""),
        enum_encoding_int=option == _ENUM_NUMBERS,
        xgafv=sent.get("xgafv", ""),
    )


def refuse_unsupported(sent: Mapping[str, str], *, media: bool = False) -> None:
    """Refuse system parameters, by attribute name, that ask for what is not served.

    Args:
        sent: System parameters.
        media: Whether the method has media to download.

    Raises:
        ApiError: 400 (words not verified against the live API).
    """
    if sent.get("callback"):
        raise _unsupported("callback", "JSONP is not supported.")
    form = sent.get("alt", "json").partition(";")[0]
    if form != "json" and not (media and form == "media"):
        raise _unsupported("alt", f"Unsupported output format {form[:40]!r}: only json is served.")


def _unsupported(name: str, message: str) -> ApiError:
    return invalid(message, location=name, reason="invalidParameter")
