"""How recordings and snapshots differ from each other, and from the installed documents."""

from mockserver.drift.case_reads import CaseRead, find_case_reads, find_cases
from mockserver.drift.changes import Change, Tier, sort_changes
from mockserver.drift.comparison import compare, read_age, staleness
from mockserver.drift.documents import Documents, compare_with_documents
from mockserver.drift.reports import FORMATS, Finding, exit_code, find_tier
from mockserver.drift.surveys import Source, Survey, read_source, survey

__all__ = [
    "FORMATS",
    "CaseRead",
    "Change",
    "Documents",
    "Finding",
    "Source",
    "Survey",
    "Tier",
    "compare",
    "compare_with_documents",
    "exit_code",
    "find_case_reads",
    "find_cases",
    "find_tier",
    "read_age",
    "read_source",
    "sort_changes",
    "staleness",
    "survey",
]
