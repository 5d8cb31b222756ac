"""How recordings and snapshots differ from each other, and from the installed documents."""

from mockserver.drift.ages import read_age, staleness
from mockserver.drift.comparing import Change, Tier, compare, in_order
from mockserver.drift.contracts import against_documents
from mockserver.drift.documents import Documents
from mockserver.drift.readers import readers, readings
from mockserver.drift.reports import FORMATS, Finding, exit_code, tier_named
from mockserver.drift.sources import Source, read_source, survey
from mockserver.drift.surveys import Survey

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
