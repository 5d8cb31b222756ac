"""What a journal must never hold: credentials in parameters, bodies and paths."""

import re

from mockserver.model import Json, JsonObject

REDACTED = "[redacted]"

SECRET_KEYS = frozenset(
    {
        "accesstoken",
        "actortoken",
        "apikey",
        "assertion",
        "authorization",
        "clientsecret",
        "idtoken",
        "oauthtoken",
        "password",
        "privatekey",
        "refreshtoken",
        "signedjwt",
        "subjecttoken",
        "token",
    }
)
"""Field names whose values are secrets, in lower case and without `_`, `-` and `$`."""

_ACCESS_TOKEN = re.compile(r"ya29\.[^/?&]+")
_NOISE = str.maketrans("", "", "_-$")


def redact_params(params: JsonObject) -> JsonObject:
    """Copy parameters with secrets replaced; `key` is an API key here.

    >>> redact_params({"key": "AIza", "userKey": "all"})
    {'key': '[redacted]', 'userKey': 'all'}
    """
    return {
        name: REDACTED if name == "key" or _is_secret(name) else value
        for name, value in params.items()
    }


def redact_body(value: Json) -> Json:
    """Copy a JSON value with the values of secret fields replaced, however deep they are.

    >>> redact_body({"user": {"password": "hunter2", "name": "A"}})
    {'user': {'password': '[redacted]', 'name': 'A'}}
    """
    if isinstance(value, dict):
        return {
            name: REDACTED if _is_secret(name) and item else redact_body(item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [redact_body(item) for item in value]
    return value


def redact_path(path: str) -> str:
    """Replace access tokens that stand in a path.

    >>> redact_path("/v1/tokens/ya29.a0Af/info")
    '/v1/tokens/[redacted]/info'
    """
    return _ACCESS_TOKEN.sub(REDACTED, path) if "ya29." in path else path


def _is_secret(name: str) -> bool:
    return name.translate(_NOISE).lower() in SECRET_KEYS
