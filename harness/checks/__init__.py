"""What a case may expect: each kind of expectation with the words of its authors and its check.

    expectation    what all kinds share: the contract of a check
    registry       the table of all checks
    sections       how authors write expectations, section by section; regular sections are made
                   from the fields of the kind
    expect_block   the whole block `expect`, made from the sections of the table

Every other module holds kinds of expectations, each with its check and its section, or what
several of them need. Of tool calls: `calls` is one expected call and how its arguments are held
against those of a call, `trajectory` the calls that a trial shows and who told of them, `alignment`
the best pairing of two lists, `tools` the kinds that authors write under `tools`, and `witnesses`
whether agent, server and traffic tell the same.
"""

from harness.checks.expectation import (
    AnyExpectation,
    Mention,
    failed,
    not_evaluated,
    passed,
    verdict,
)
from harness.checks.quality import SYNONYMS
from harness.checks.registry import CHECKS, Check, Expectation, check, class_of
from harness.checks.reply_schema import ModelError, ModelResolver, import_model
from harness.checks.sections import Section, section_of, value_section

__all__ = [
    "CHECKS",
    "SYNONYMS",
    "AnyExpectation",
    "Check",
    "Expectation",
    "Mention",
    "ModelError",
    "ModelResolver",
    "Section",
    "check",
    "class_of",
    "failed",
    "import_model",
    "not_evaluated",
    "passed",
    "section_of",
    "value_section",
    "verdict",
]
