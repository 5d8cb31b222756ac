"""The words of the mock server: frozen values that the harness speaks too."""

from mockserver.model.faults import Fault, FaultReport
from mockserver.model.journal import Blame, Journal, JournalEntry, Miss, Source
from mockserver.model.nearest import did_you_mean
from mockserver.model.sessions import Profile, SessionInfo, SessionReport, SessionSpec
from mockserver.model.values import Frozen, Json, JsonMapping, JsonObject

__all__ = [
    "Blame",
    "Fault",
    "FaultReport",
    "Frozen",
    "Journal",
    "JournalEntry",
    "Json",
    "JsonMapping",
    "JsonObject",
    "Miss",
    "Profile",
    "SessionInfo",
    "SessionReport",
    "SessionSpec",
    "Source",
    "did_you_mean",
]
