"""What a case may expect: each kind of expectation with the words of its authors and its check."""

from harness.checks.quality import SYNONYMS
from harness.checks.reply_schema import ModelError, ModelResolver, import_model
from harness.checks.table import CHECKS, KINDS, Check, Expectation, check, class_of

__all__ = [
    "CHECKS",
    "KINDS",
    "SYNONYMS",
    "Check",
    "Expectation",
    "ModelError",
    "ModelResolver",
    "check",
    "class_of",
    "import_model",
]
