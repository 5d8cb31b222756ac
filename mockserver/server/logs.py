"""What the server says of itself on stderr: never a secret, though an exception may quote one."""

import logging
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

if TYPE_CHECKING:
    from mockserver.redaction import Redactor

_KEY = b"a log is no recording: its pseudonyms join nothing"


class SafeFormatter(logging.Formatter):
    """Formats a record, exception and all, and redacts the whole text.

    The redactor is loaded for the first record: a server that runs well says nothing.
    """

    def __init__(self) -> None:
        super().__init__("%(levelname)s: %(message)s")
        self._lock = threading.Lock()

    @cached_property
    def _redactor(self) -> "Redactor":
        from mockserver.redaction import Redactor, RuleSet

        return Redactor(RuleSet.default(), _KEY)

    @override
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        with self._lock:
            return self._redactor.text(text)


def log_safely() -> None:
    """Send warnings and errors of everything in this process to stderr, redacted.

    Leaves a process alone that has a handler of its own.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
