"""Credentials of a capture: a service account's file, or the application default ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mockserver.errors import FormatError, MockServerError
from mockserver.storage import read_object


def load_credentials(file: Path | None, subject: str, scopes: Sequence[str]) -> Any:
    """Credentials with the scopes that a plan needs.

    Args:
        file: A service account's key, or a user's credentials; None for the application default
            credentials.
        subject: Whom a service account with domain-wide delegation acts for; empty for itself.
        scopes: OAuth scopes.

    Returns:
        Credentials of google-auth.

    Raises:
        MockServerError: There are none, they cannot be read, or they cannot act for somebody.
    """
    from google.auth.exceptions import GoogleAuthError

    try:
        found = _default(scopes) if file is None else _of_file(file, scopes)
    except (GoogleAuthError, FormatError, OSError, ValueError) as error:
        where = "application default credentials" if file is None else str(file)
        raise MockServerError(
            f"no credentials: {where} cannot be used: {_said(error)}", hint=_advice(scopes)
        ) from error
    if not subject:
        return found
    if not hasattr(found, "with_subject"):
        raise MockServerError(
            "--subject needs a service account with domain-wide delegation",
            hint="name its key with --credentials FILE",
        )
    return found.with_subject(subject)


def _default(scopes: Sequence[str]) -> Any:
    import google.auth

    auth: Any = google.auth  # partly typed
    return auth.default(scopes=list(scopes))[0]


def _of_file(file: Path, scopes: Sequence[str]) -> Any:
    from google.oauth2 import credentials, service_account

    content = read_object(file)
    kinds: dict[str, Any] = {
        "service_account": service_account.Credentials.from_service_account_info,
        "authorized_user": credentials.Credentials.from_authorized_user_info,
    }
    kind = content.get("type")
    if kind not in kinds:
        raise ValueError(
            f"its type is {kind!r}, not {' or '.join(kinds)}; credentials of other types can be the"
            " application default ones (GOOGLE_APPLICATION_CREDENTIALS)"
        )
    return kinds[kind](content, scopes=list(scopes))


def renewed(credentials: Any, scopes: Sequence[str]) -> None:
    """Make sure that credentials are good, before anything is recorded.

    Raises:
        MockServerError: They are refused.
    """
    import httplib2
    from google.auth.exceptions import GoogleAuthError
    from google_auth_httplib2 import Request

    try:
        if not credentials.valid:
            credentials.refresh(Request(httplib2.Http(timeout=30)))
    except (GoogleAuthError, httplib2.HttpLib2Error, OSError) as error:
        raise refused(error, scopes) from error


def refused(error: Exception, scopes: Sequence[str]) -> MockServerError:
    """The error of credentials that are not accepted."""
    return MockServerError(f"the credentials were refused: {_said(error)}", hint=_advice(scopes))


def _said(error: Exception) -> str:
    """The first line of what went wrong; an authorization server's answer may hold more."""
    return str(error.args[0] if error.args else error).strip().splitlines()[0][:300]


def _advice(scopes: Sequence[str]) -> str:
    listed = ",".join(scopes)
    return (
        f"`gcloud auth application-default login --scopes={listed}`, or --credentials with a"
        " service account's key that was granted these scopes"
    )
