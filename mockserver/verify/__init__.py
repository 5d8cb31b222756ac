"""Holds the mock against recordings of the live service: how far do their answers agree?"""

from mockserver.verify.agreement import Agreement, Counts, Group
from mockserver.verify.live import LiveApi, Target, parse_hosts, parse_sandbox
from mockserver.verify.recordings import Recording, find_recordings, redacted
from mockserver.verify.reports import as_html, as_json, as_junit, as_text
from mockserver.verify.worlds import Verifier

__all__ = [
    "Agreement",
    "Counts",
    "Group",
    "LiveApi",
    "Recording",
    "Target",
    "Verifier",
    "as_html",
    "as_json",
    "as_junit",
    "as_text",
    "find_recordings",
    "parse_hosts",
    "parse_sandbox",
    "redacted",
]
