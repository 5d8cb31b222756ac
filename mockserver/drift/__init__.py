"""How recordings and snapshots differ from each other, and from the installed documents."""

from mockserver.drift.case_reads import readers, readings
from mockserver.drift.comparison import Change, Tier, compare, in_order, read_age, staleness
from mockserver.drift.documents import Documents, against_documents
from mockserver.drift.reports import FORMATS, Finding, exit_code, tier_named
from mockserver.drift.surveys import Source, Survey, read_source, survey

__all__ = [
    "FORMATS",
    "Change",
    "Documents",
    "Finding",
    "Source",
    "Survey",
    "Tier",
    "against_documents",
    "compare",
    "exit_code",
    "in_order",
    "read_age",
    "read_source",
    "readers",
    "readings",
    "staleness",
    "survey",
    "tier_named",
]
