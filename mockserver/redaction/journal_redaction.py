"""What a journal must never hold: credentials in parameters, bodies and paths."""

import re

from mockserver import redaction
from mockserver.model import Json, JsonObject

REDACTED = "[redacted]"

_ACCESS_TOKEN = re.compile(r"ya29\.[^/?&]+")
_CODES = ("4/mock~", "AH-1Ng.mock~")
"""How codes begin that are exchanged for tokens; their fields have names that much else has."""

_ALREADY: dict[str, bool] = {}
_HARMLESS: set[str] = set()
"""Names of parameters that came before and hold no secret."""

_MOST_NAMES = 10_000


def redact_journal_params(params: JsonObject) -> JsonObject:
    """Copy parameters with secrets replaced; `key` is an API key here.

    >>> redact_journal_params({"key": "AIza", "userKey": "all"})
    {'key': '[redacted]', 'userKey': 'all'}
    """
    for name in params:
        if name not in _HARMLESS:
            break
    else:
        return params.copy()
    shown = {
        name: REDACTED if name == "key" or _is_secret(name) else value
        for name, value in params.items()
    }
    if len(_HARMLESS) < _MOST_NAMES:
        _HARMLESS.update(name for name in shown if name != "key" and not _is_secret(name))
    return shown


def redact_journal_body(value: Json) -> Json:
    """Copy a JSON value with the values of secret fields replaced, however deep they are.

    >>> redact_journal_body({"user": {"password": "hunter2", "name": "A"}})
    {'user': {'password': '[redacted]', 'name': 'A'}}
    """
    if isinstance(value, dict):
        return {
            name: REDACTED if _is_secret(name) and item else redact_journal_body(item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [redact_journal_body(item) for item in value]
    return REDACTED if isinstance(value, str) and value.startswith(_CODES) else value


def redact_journal_path(path: str) -> str:
    """Replace access tokens that stand in a path.

    >>> redact_journal_path("/v1/tokens/ya29.a0Af/info")
    '/v1/tokens/[redacted]/info'
    """
    return _ACCESS_TOKEN.sub(REDACTED, path) if "ya29." in path else path


def _is_secret(name: str) -> bool:
    found = _ALREADY.get(name)
    if found is None:
        found = redaction.normalised_name(name) in redaction.CREDENTIAL_FIELDS
        if len(_ALREADY) < _MOST_NAMES:
            _ALREADY[name] = found
    return found
