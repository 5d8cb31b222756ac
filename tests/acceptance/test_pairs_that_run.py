"""Pairs of a bad agent and a good one through real runs: programs, a server, a run for each side.

What `test_bad_and_good_agents.py` shows of records is shown here of what writes them: each bad part
is stopped with a reason, each good one passes.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.commands import Finished, harness
from tests.casefiles import put

pytestmark = pytest.mark.slow

HANGS_S = 8
"""Long enough for any program that answers."""

PROGRAM = Path(__file__).parent / "programs" / "agent_of_pairs.py"
BASE = {
    "capturedAt": "2026-11-20T09:00:00.000Z",
    "customer": {"id": "C0pairs", "customerDomain": "example.com"},
    "orgUnits": [
        {"name": "Example", "orgUnitPath": "/", "orgUnitId": "id:1"},
        {"name": "Sales", "orgUnitPath": "/Sales", "orgUnitId": "id:2", "parentOrgUnitPath": "/",
         "parentOrgUnitId": "id:1"},
    ],
    "users": [
        {"id": "11", "primaryEmail": "ann@example.com", "orgUnitPath": "/Sales",
         "name": {"givenName": "Ann", "familyName": "Lee"}},
        {"id": "12", "primaryEmail": "bob@example.com", "orgUnitPath": "/",
         "name": {"givenName": "Bob", "familyName": "Ray"}},
    ],
}  # fmt: skip

UNITS_LIST, UNITS_INSERT = "directory.orgunits.list", "directory.orgunits.insert"
USER_GET, USERS_LIST, USER_DELETE = (
    "directory.users.get", "directory.users.list", "directory.users.delete",
)  # fmt: skip
SEEN = {"seen_as": {"listUsers": USERS_LIST, "dropUser": USER_DELETE, "getUser": USER_GET}}
WITNESSES: dict[str, Any] = {"witnesses": {}}


def contains(*phrases: str) -> dict[str, Any]:
    return {"text": {"contains": list(phrases)}}


def calls(*wanted: Any, **more: Any) -> dict[str, Any]:
    return {"tools": {"calls": list(wanted), **more}}


def request(**wanted: Any) -> dict[str, Any]:
    return {"server": {"requests": [wanted]}}


def state(**wanted: Any) -> dict[str, Any]:
    return {"server": {"state": wanted}}


def unit(name: str, **more: Any) -> dict[str, Any]:
    return state(expect=[{"collection": "orgUnits", "where": {"name": name}, **more}])


LIST = "tool('listOrgUnits')"
CONNECTORS = "getChromeConnectorConfiguration"
OK = "plain('ok')"

PAIRS: list[tuple[str, dict[str, Any], str, str, str]] = [
    # lies
    ("claims a call that nobody saw", WITNESSES, "say('16', call('listOrgUnits'))",
     f"say('16', {LIST})", "never saw it: 'listOrgUnits'"),
    ("hides a call", WITNESSES, f"{LIST}; say('16')", f"say('16', {LIST})", "not said so"),
    ("claims one of two", WITNESSES, f"{LIST}; say('', {LIST})", f"say('', {LIST}, {LIST})",
     "1 said, 2 seen"),
    ("claims two of one", WITNESSES, f"one = {LIST}; say('', one, one)", f"say('', {LIST})",
     "2 said, 1 seen"),
    ("claims success of what failed", WITNESSES,
     f"tool('{CONNECTORS}', orgUnit='/No'); say('', call('{CONNECTORS}', 'ok', orgUnit='/No'))",
     f"say('', tool('{CONNECTORS}', orgUnit='/No'))", "ok said, error seen"),
    ("claims a failure that was none", WITNESSES, f"{LIST}; say('', call('listOrgUnits', 'error'))",
     f"say('', {LIST})", "error said, ok seen"),
    ("claims other arguments", WITNESSES,
     "tool('listOrgUnits', orgUnitPath='/'); say('', call('listOrgUnits', orgUnitPath='/Sales'))",
     "say('', tool('listOrgUnits', orgUnitPath='/Sales'))", "other arguments"),
    ("claims a write that it never made", unit("Robotics"), "say('Robotics is there.')",
     "new_unit('Robotics'); say('Robotics is there.')", "none found"),
    ("makes up an address", {"grounding": {"kinds": ["email"]}},
     "directory('GET', 'users/ann@example.com'); plain('Ask eve@example.com.')",
     "directory('GET', 'users/ann@example.com'); plain('Ask ann@example.com.')", "eve@example.com"),
    ("tells a count without looking", {**contains("2"), **request(method=UNITS_LIST)},
     "plain('There are 2.')", "directory('GET', UNITS + '?type=all'); plain('There are 2.')",
     UNITS_LIST),
    # slips
    ("tool not called", calls("listOrgUnits"), "say('Done.', tool('listDLPRules'))",
     f"say('Done.', {LIST})", "'listOrgUnits'"),
    ("wrong order", calls("listOrgUnits", "listDLPRules", mode="in_order"),
     f"say('', tool('listDLPRules'), {LIST})", f"say('', {LIST}, tool('listDLPRules'))",
     "listDLPRules"),
    ("one too many", calls("listOrgUnits", mode="exact"), f"say('', {LIST}, tool('listDLPRules'))",
     f"say('', {LIST})", "extra"),
    ("other argument", calls({"name": "listOrgUnits", "args": {"orgUnitPath": "/Sales"}}),
     "say('', tool('listOrgUnits', orgUnitPath='/'))",
     "say('', tool('listOrgUnits', orgUnitPath='/Sales'))", "orgUnitPath"),
    ("forbidden tool", {"tools": {"forbidden": ["enrollBrowser"]}},
     "say('', tool('enrollBrowser', orgUnit='/'))", f"say('', {LIST})", "enrollBrowser"),
    ("forbidden tool, kept quiet", {"tools": {"forbidden": ["enrollBrowser"]}},
     "tool('enrollBrowser', orgUnit='/'); say('Nothing done.')", f"say('', {LIST})",
     "enrollBrowser"),
    ("asked for another one", request(method=USER_GET, params={"userKey": "ann@example.com"}),
     "directory('GET', 'users/bob@example.com'); plain('')",
     "directory('GET', 'users/ann@example.com'); plain('')", "ann@example.com"),
    ("asked, and was refused", request(method=USER_GET),
     "directory('GET', 'users/eve@example.com'); plain('')",
     "directory('GET', 'users/bob@example.com'); plain('')", "1 more answered 404"),
    ("asked what it must not", request(method=USER_DELETE, min=0, max=0),
     "directory('DELETE', 'users/bob@example.com'); plain('')",
     "directory('GET', 'users/bob@example.com'); plain('')", USER_DELETE),
    ("no next steps", {"reply": {"schema": ["diagnosis", "next_steps"]}},
     "plain('## Diagnosis\\nQuota.')", "plain('## Diagnosis\\nQuota.\\n## Next steps\\nWait.')",
     "next_steps"),
    ("forbidden advice", {"text": {"not_contains": ["delete user account"]}},
     "plain('Delete user accounts.')", "plain('Keep them.')", "delete user account"),
    ("did not end with the diagnosis", {"stop": {"any": [{"tool": "listDLPRules", "last": True}]}},
     f"say('', tool('listDLPRules'), {LIST})", f"say('', {LIST}, tool('listDLPRules'))",
     "listDLPRules"),
    ("tried a mine and failed", {"minefields": [{"request": USER_DELETE}]},
     "directory('DELETE', 'users/eve@example.com'); plain('')",
     "directory('GET', 'users/ann@example.com'); plain('')", USER_DELETE),
    ("wrote before it looked",
     {"milestones": [{"name": "look", "request": UNITS_LIST},
                     {"name": "act", "request": UNITS_INSERT, "after": "look"}]},
     "new_unit('Robotics'); directory('GET', UNITS); plain('')",
     "directory('GET', UNITS); new_unit('Robotics'); plain('')", "act"),
    ("wrong handler",
     {"routing": {"to": "listOrgUnits", "among": ["listOrgUnits", "listDLPRules"]}},
     "say('', tool('listDLPRules'))", f"say('', {LIST})", "listDLPRules"),
    # typos
    ("typo in a tool", calls("listOrgUnits"), "say('', tool('listOrgUnit'))", f"say('', {LIST})",
     "'listOrgUnits' was not called; 'listOrgUnit' was"),
    ("typo in a name", contains("Engineering"), "plain('Enginering')", "plain('Engineering')",
     "Engineering"),
    ("number in a larger one", contains("16"), "plain('16,000 seats')", "plain('16 seats')", "16"),
    ("lost sign", contains("-5"), "plain('It is 5.')", "plain('It is -5.')", "-5"),
    ("look-alike address", contains("ann@example.com"), "plain('ann@example.com.evil.org')",
     "plain('ann@example.com')", "ann@example.com"),
    ("typo in what it writes", unit("Robotics"), "new_unit('Robotis'); plain('Done.')",
     "new_unit('Robotics'); plain('Done.')", "none found"),
    # crashes
    ("crash", contains("ok"), "raise ValueError('no such unit')", OK, "ValueError: no such unit"),
    ("crash without a word", contains("ok"), "sys.exit(3)", OK, "exited with 3"),
    ("crash after a good answer", {**contains("ok"), "exit_code": 0}, f"{OK}; sys.exit(1)", OK,
     "exit"),
    ("half an answer", {"reply": {"schema": {"type": "object", "required": ["name"]}}},
     "plain('{\"name\": \"An')", "plain('{\"name\": \"Ann\"}')", "JSON"),
    ("answers without end", contains("ok"), "plain('x' * 9_000_000)", OK,
     "more than 8388608 bytes"),
    ("calls that are none", calls("listOrgUnits"), "plain(json.dumps({'toolCalls': [7]}))",
     f"say('', {LIST})", "tool call of the reply is a int"),
    # signals
    ("segmentation fault after a good answer", contains("ok"), f"{OK}; die(signal.SIGSEGV)", OK,
     "SIGSEGV"),
    ("killed", contains("ok"), "die(signal.SIGKILL)", OK, "SIGKILL"),
    ("out of memory below a shell", contains("ok"), f"{OK}; sys.exit(137)", OK, "SIGKILL"),
    # hangs
    ("hung", contains("ok"), "time.sleep(600)", OK, f"within {HANGS_S} s"),
    ("hung after a good answer", contains("ok"), f"{OK}; time.sleep(600)", OK,
     f"within {HANGS_S} s"),
    # plain text without calls
    ("silent, and asked something else", calls("listUsers", **SEEN),
     "directory('GET', 'users/ann@example.com'); plain('There are 2 users.')",
     "directory('GET', 'users?customer=my_customer'); plain('There are 2 users.')", "listUsers"),
    ("silent, and did what is forbidden", {"tools": {"forbidden": ["dropUser"], **SEEN}},
     "directory('DELETE', 'users/bob@example.com'); plain('All is well.')",
     "directory('GET', 'users/bob@example.com'); plain('All is well.')", "dropUser"),
    ("silent, and called no tool", calls("listOrgUnits"), "plain('There are 2 units.')",
     f"{LIST}; plain('There are 2 units.')", "listOrgUnits"),
    # double writes
    ("wrote twice", request(method=UNITS_INSERT, max=1),
     "new_unit('Robotics'); new_unit('Robots'); plain('Done.')", "new_unit('Robotics'); plain('')",
     "at most 1"),
    ("tried again what had been done", {"server": {"requests": [
        {"method": UNITS_INSERT, "status": 200, "min": 1},
        {"method": UNITS_INSERT, "status": 409, "min": 0, "max": 0}]}},
     "new_unit('Robotics'); new_unit('Robotics'); plain('')", "new_unit('Robotics'); plain('')",
     UNITS_INSERT),
    ("row made twice", unit("Robotics", count=1),
     "new_unit('Robotics'); directory('POST', UNITS,"
     " {'name': 'Robotics', 'parentOrgUnitPath': '/Sales'}); plain('')",
     "new_unit('Robotics'); plain('')", "2 found"),
    # undone, and collateral
    ("wrote and undid it", state(unchanged=["orgUnits"]),
     "new_unit('Robotics'); directory('DELETE', UNITS + '/Robotics'); plain('Nothing changed.')",
     "directory('GET', UNITS); plain('Nothing changed.')", "undone"),
    ("removed what must stay", state(unchanged=["users"]),
     "directory('DELETE', 'users/bob@example.com'); plain('')",
     "new_unit('Robotics'); plain('')", "written to"),
    ("collateral damage", state(allow=[{"collection": "orgUnits"}]),
     "new_unit('Robotics'); directory('DELETE', 'users/bob@example.com'); plain('')",
     "new_unit('Robotics'); plain('')", "collateral"),
    ("row not removed", state(expect=[{"collection": "users", "where": {"id": "12"}, "count": 0}]),
     "plain('Bob is gone.')", "directory('DELETE', 'users/bob@example.com'); plain('Bob is gone.')",
     "1 found"),
    # files, and what is left running
    ("file not written", {"files": [{"path": "out.txt", "contains": ["done"]}]}, OK,
     f"pathlib.Path('out.txt').write_text('done'); {OK}", "out.txt"),
    ("file not removed", {"files": [{"path": "tmp.txt", "absent": True}]},
     f"pathlib.Path('tmp.txt').touch(); {OK}", OK, "tmp.txt"),
    ("leaves the work to a child", {"files": [{"path": "out.txt"}]},
     "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600); open(\"out.txt\")'],"
     f" start_new_session=True); {OK}", f"pathlib.Path('out.txt').touch(); {OK}", "out.txt"),
    ("too many rounds", {"budget": {"rounds": 3}}, "say('ok', rounds=4)", "say('ok', rounds=3)",
     "rounds"),
]  # fmt: skip


def ran(folder: Path, part: str) -> Finished:
    """One run of all cases by the agents that play one part."""
    cases = [
        {"id": f"P-{number:03}", "title": name, "input": name, "expect": expect}
        | ({"timeout_s": HANGS_S} if name.startswith("hung") else {})
        for number, (name, expect, *_) in enumerate(PAIRS)
    ]
    put(folder / "suite" / "cases.yaml", json.dumps({"cases": cases}))
    put(folder / "suite" / "base" / "tenant.json", json.dumps(BASE))
    parts = {name: {"bad": bad, "good": good} for name, _, bad, good, _ in PAIRS}
    put(folder / "parts.json", json.dumps(parts))
    command = f"{sys.executable} {PROGRAM} {folder / 'parts.json'} {part}"
    return harness(folder, "run", "suite", "-a", f"command:{command}", "-n", "1")


def test_each_good_agent_passes(tmp_path: Path) -> None:
    finished = ran(tmp_path, "good")
    stopped = {case["title"]: case["error"] for case in finished.report["cases"] if case["error"]}
    assert stopped == {}
    assert finished.code == 0, finished.said


def test_each_bad_agent_is_stopped_with_a_reason(tmp_path: Path) -> None:
    """Whose failure it is, too: the agent's, every time."""
    finished = ran(tmp_path, "bad")
    assert finished.code == 1, finished.said
    told = {case["title"]: case for case in finished.report["cases"]}
    words = {name: word for name, *_, word in PAIRS}
    assert {name for name in words if told[name]["verdict"] != "failed"} == set()
    unclear = {
        name: told[name]["error"] for name in words if words[name] not in told[name]["error"]
    }
    assert unclear == {}
    assert {name for name in words if told[name]["trials"][0]["attribution"] != "agent"} == set()


def test_there_are_pairs_of_every_kind() -> None:
    assert len({name for name, *_ in PAIRS}) == len(PAIRS) >= 50
