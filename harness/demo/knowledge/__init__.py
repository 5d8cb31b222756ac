"""What the agent knows about Chrome Enterprise, as data: symptom words and what they point at."""

from harness.demo.knowledge.events import ALL_EVENTS, EVENT_KINDS, EventKind
from harness.demo.knowledge.routes import ROUTES
from harness.demo.knowledge.rules import DLP_ACTIONS, DLP_DETECTORS, DLP_TRIGGERS
from harness.demo.knowledge.settings import SETTINGS, Setting

__all__ = [
    "ALL_EVENTS",
    "DLP_ACTIONS",
    "DLP_DETECTORS",
    "DLP_TRIGGERS",
    "EVENT_KINDS",
    "ROUTES",
    "SETTINGS",
    "EventKind",
    "Setting",
]
