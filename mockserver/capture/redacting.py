"""What redacts in a capture: the common rules, those of the APIs, the user's own, and the key."""

from pathlib import Path

from mockserver.apis import APIS
from mockserver.errors import CaptureError
from mockserver.redaction import Redactor, RuleSet
from mockserver.sessions.cassette_library import rules_of
from mockserver.storage.redaction_key import redaction_key


def capturing_rules(path: Path | None) -> RuleSet:
    """The rules of a capture, the same as those of a replay.

    Args:
        path: The user's own; where none are named, those of this folder.

    Raises:
        FormatError: They cannot be read.
    """
    return rules_of(path, None, APIS)


def capturing_redactor(path: Path | None) -> Redactor:
    """A redactor with the key of this machine, which is made where there is none.

    Raises:
        MockServerError: The rules or the key cannot be read, or no key can be made.
    """
    key = redaction_key(create=True)
    if key is None:
        raise CaptureError("there is no redaction key", hint="set MOCKSERVER_REDACTION_KEY")
    return Redactor(capturing_rules(path), key)
