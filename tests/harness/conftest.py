"""A small suite on disk, and a real mock server that serves it."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CASES = """\
cases:
  - id: T-001
    title: Which units are there?
    category: policy
    tags: [units]
    input: "Which units do we have?"
    fixtures: {overrides: [T-001]}
    expect:
      text: {contains: ["Laboratory"]}
      tools: {calls: [{name: listOrgUnits}]}
    reference: {calls: [{name: listOrgUnits}], answer: "There is the Laboratory."}
  - id: T-002
    title: Make a unit, then find it
    category: devices
    tags: [units, writes]
    input:
      - user: "Make a unit called Attic."
      - user: "Is it there?"
    expect:
      text: {contains: ["Attic is there"]}
      server:
        state: {expect: [{collection: orgUnits, where: {name: Attic}, has: {orgUnitPath: /Attic}}]}
    reference:
      - requests:
          - http_method: POST
            url: admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits
            body: {name: Attic, parentOrgUnitPath: /}
        answer: "Made."
      - calls: [{name: listOrgUnits}]
        answer: "Attic is there."
"""

BASE = """\
{"capturedAt": "2026-11-19T10:00:00Z",
 "customer": {"id": "C0123abcd", "customerDomain": "example.com",
              "customerEmail": "admin@example.com"},
 "orgUnits": [{"name": "Office", "orgUnitPath": "/Office", "parentOrgUnitPath": "/",
               "orgUnitId": "id:03ph8a2z1office"}]}
"""

OVERRIDE = """\
{"orgUnits": [{"name": "Laboratory", "orgUnitPath": "/Laboratory", "parentOrgUnitPath": "/",
               "orgUnitId": "id:03ph8a2z1labora"}],
 "faults": [{"method": "reports.activities.list", "status": 503}]}
"""


def write_suite(folder: Path) -> Path:
    """Two cases in the native format: one that reads an override, one of two turns that writes."""
    for name, text in {
        "cases.yaml": CASES,
        "base/tenant.json": BASE,
        "T-001/overrides.json": OVERRIDE,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suites") / "office")


@contextmanager
def serving(office: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A mock server in its own process: its URL, and the process."""
    command = [sys.executable, "-m", "mockserver", "serve", "--fixtures", str(office)]
    with subprocess.Popen(
        [*command, "--port", "0", "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        yield found[0], server
        server.terminate()


@pytest.fixture(scope="session")
def mock_url(office: Path) -> Iterator[str]:
    with serving(office) as (url, _):
        yield url


@pytest.fixture
def mortal_mock(office: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """A server of one test alone: its URL, and what kills it."""
    with serving(office) as (url, server):

        def kill() -> None:
            server.kill()
            server.wait()

        yield url, kill
