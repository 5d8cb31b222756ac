"""Suites that are learned of traces: what an agent did yesterday becomes cases for tomorrow.

reading    files, folders and streams of any format, as traces of agents
selection  which of them are wanted
groups     which of them are alike
calls      what of a trace is redacted, and played again
proposals  the case of a redacted trace: turns, reference, expectations with their reasons
promotion  single traces, and trials that other tools recorded, as traces
suites     a suite of such cases, written whole or not at all
"""

from harness.learning.calls import why_not_kept
from harness.learning.groups import Groups, coverage_of
from harness.learning.reading import TraceReader, trace_in, trace_of_trial
from harness.learning.selection import Selection
from harness.learning.suites import LearnedSuite, LearnTerms, learn_suite

__all__ = [
    "Groups",
    "LearnTerms",
    "LearnedSuite",
    "Selection",
    "TraceReader",
    "coverage_of",
    "learn_suite",
    "trace_in",
    "trace_of_trial",
    "why_not_kept",
]
