"""What a case may expect: each kind of expectation with the words of its authors and its check."""

from harness.checks.quality import SYNONYMS
from harness.checks.reply_schema import ModelError, ModelResolver, import_model
from harness.checks.table import CHECKS, OF_KIND, Check, Expectation, check

__all__ = [
    "CHECKS",
    "OF_KIND",
    "SYNONYMS",
    "Check",
    "Expectation",
    "ModelError",
    "ModelResolver",
    "check",
    "import_model",
]
