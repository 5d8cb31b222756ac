"""What of the tests the tracer sees that measures coverage; what it sees takes 2.5 times as long.

Most rows of a table, and most examples of a property, reach what those before them reached. So both
are traced as long as they reach anything new; after a few in a row that do not, the others run all
the same, but untraced. What is measured can only be less than what is covered.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

import pytest
from coverage import Coverage

UNTRACED = (
    "tests/fixtures/",
    "tests/hostile/",
    "tests/mutants/",
    "tests/test_dependencies.py",
    "tests/test_docs",
    "tests/test_house.py",
    "tests/test_licences.py",
)
"""Tests that send much to the same code, run agents of suites, or read files."""

IN_A_ROW = 10
"""So many rows or examples that reach nothing new tell that the others do not either."""

PROCESSES = "COVERAGE_PROCESS_CONFIG"
"""The variable that tells Python in other processes that it is measured."""

_nothing_new: Counter[str] = Counter()
"""Table to how many of its latest rows reached nothing new."""


def steps() -> int:
    """How many different steps from line to line this process has seen."""
    measured = Coverage.current()
    collector = measured and measured._collector
    return sum(map(len, list(collector.data.values()))) if collector else 0


@contextmanager
def untraced() -> Iterator[None]:
    """Nobody sees what this thread does, nor the threads and processes that it starts."""
    here, in_threads = sys.gettrace(), threading.gettrace()
    processes = os.environ.pop(PROCESSES, None)
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        if processes is not None:
            os.environ[PROCESSES] = processes
        threading.settrace(in_threads)
        sys.settrace(here)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A table is traced until its rows reach nothing new."""
    table, _, row = item.nodeid.partition("[")
    if sys.gettrace() is None:
        return (yield)
    if table.startswith(UNTRACED) or _nothing_new[table] >= IN_A_ROW:
        with untraced():
            return (yield)
    before = steps()
    try:
        return (yield)
    finally:
        if row:
            _nothing_new[table] = 0 if steps() > before else _nothing_new[table] + 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A property is traced until its examples reach nothing new."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    tracer = sys.gettrace()
    if handle is None or tracer is None or iscoroutinefunction(handle.inner_test):
        return (yield)
    plain, nothing_new = handle.inner_test, 0

    @wraps(plain)
    def traced(*given: Any, **named: Any) -> Any:
        nonlocal nothing_new
        if nothing_new >= IN_A_ROW:
            sys.settrace(None)
            return plain(*given, **named)
        before = steps()
        try:
            return plain(*given, **named)
        finally:
            nothing_new = 0 if steps() > before else nothing_new + 1

    handle.inner_test = traced
    try:
        return (yield)
    finally:
        handle.inner_test = plain
        sys.settrace(tracer)
