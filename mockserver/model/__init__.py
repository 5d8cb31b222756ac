"""The words of the mock server: frozen values that the harness speaks too."""

from mockserver.model.credentials import CREDENTIAL_KINDS, CredentialKind, CredentialsEnd
from mockserver.model.faults import Fault, FaultReport, Latency, Propagation, Rate
from mockserver.model.journal import Blame, Journal, JournalEntry, Miss, Source
from mockserver.model.nearest import did_you_mean
from mockserver.model.sessions import Auth, Profile, SessionInfo, SessionReport, SessionSpec
from mockserver.model.values import Frozen, Json, JsonMapping, JsonObject

__all__ = [
    "CREDENTIAL_KINDS",
    "Auth",
    "Blame",
    "CredentialKind",
    "CredentialsEnd",
    "Fault",
    "FaultReport",
    "Frozen",
    "Journal",
    "JournalEntry",
    "Json",
    "JsonMapping",
    "JsonObject",
    "Latency",
    "Miss",
    "Profile",
    "Propagation",
    "Rate",
    "SessionInfo",
    "SessionReport",
    "SessionSpec",
    "Source",
    "did_you_mean",
]
