"""Agents that do everything wrong, through the real command: none costs another its trial."""

import json
import os
import re
import sys
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.acceptance.commands import Finished, harness
from tests.casefiles import put
from tests.harness.conftest import serving
from tests.patience import wait_until
from tests.ports import free_port

pytestmark = pytest.mark.slow

HANGS_S = 8
"""Long enough for the program that hangs to come up and note its processes."""

PROGRAM = """
import json, os, pathlib, signal, subprocess, sys, time
kind = sys.stdin.read()
write = lambda content: os.write(1, content)
deep = lambda levels: b"[" * levels + b"]" * levels
if kind == "flood":
    for _ in range(100):
        write(b"x" * 2**20)
if kind == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", code])
    pathlib.Path(os.environ["PIDS"]).write_text(f"{os.getpid()} {child.pid}")
    time.sleep(600)
if kind == "crash":
    sys.exit("no such unit")
if kind == "deep metadata":
    write(b'{"text": "x", "metadata": {"a": ' + deep(5000) + b"}}")
if kind == "deeper than we write":
    write(b'{"text": "x", "metadata": {"a": ' + deep(300) + b"}}")
if kind == "deep arguments":
    write(b'{"text": "x", "toolCalls": [{"name": "f", "args": {"a": ' + deep(5000) + b"}}]}")
if kind == "half a character":
    write(b'{"text": "cut \\\\ud83e", "toolCalls": [{"name": "f", "args": {"a": "\\\\udfff"}}]}')
if kind == "zero bytes":
    write(b'{"text": "a\\\\u0000b", "metadata": {"\\\\u0000": "\\\\u0000"}}')
if kind == "raw bytes":
    write(b"\\x00\\x01\\x1b[31m \\xff\\xfe")
if kind == "much unicode":
    write(json.dumps({"text": "\\U0001f9ff\\u202e\\u0301" * 100_000}).encode())
if kind == "a list":
    write(b"[1, 2]")
if kind == "odd files":
    open("a\\nb", "w").close(); open(b"\\xff", "w").close(); os.symlink("/etc", "etc")
    os.mkfifo("fifo"); os.symlink("loop", "loop"); write(b"done")
if kind == "good":
    write(b"fine")
"""

REPLIED = {
    "half a character": "cut \ufffd",
    "zero bytes": "a\x00b",
    "raw bytes": "\x00\x01\x1b[31m \ufffd\ufffd",
    "much unicode": "\U0001f9ff\u202e\u0301" * 100_000,
    "a list": "[1, 2]",
    "odd files": "done",
    "good": "fine",
}
FAILED = {
    "flood": "more than 8388608 bytes",
    "hang": f"no reply to turn 1 within {HANGS_S} s",
    "crash": "exited with 1 and wrote no reply; last line of stderr: no such unit",
    "deep metadata": "nested more than 100 levels",
    "deeper than we write": "nested more than 100 levels",
    "deep arguments": "nested more than 100 levels",
}

WEB = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EVENTS, JSON = "text/event-stream", "application/json"
DEEP, DONE = b"[" * 300 + b"]" * 300, b"\\n\\ndata: [DONE]\\n\\n"
ANSWERS = {
    "broken event": (EVENTS, b'data: {"type": "finish"\\n\\n'),
    "no event": (EVENTS, b"<html>\\n"),
    "no end": (EVENTS, b'data: {"type": "text-delta", "id": "a", "delta": "x"}\\n\\n'),
    "no id": (EVENTS, b'data: {"type": "text-delta", "delta": "x"}\\n\\n'),
    "no text": (EVENTS, b"data: \\xff\\n\\n"),
    "deep event": (EVENTS, b'data: {"type": "data-x", "data": ' + DEEP + b"}" + DONE),
    "deep JSON": (JSON, b'{"text": "x", "metadata": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}"),
    "no JSON": (JSON, b"{"),
    "web page": ("text/html", b"<html>"),
}

class Chat(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kind, content = ANSWERS[body["messages"][-1]["content"]]
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Chat).serve_forever()
"""

WEB_FAILED = {
    "broken event": "malformed event stream: line 1",
    "no event": "line 1 starts with '<html>'",
    "no end": "ended without a finish part",
    "no id": "'text-delta' has no 'id'",
    "no text": "line 1 is not UTF-8",
    "deep event": "nested more than 100 levels",
    "deep JSON": "nested more than 100 levels",
    "no JSON": "not JSON",
    "web page": "answered text/html",
}


def suite(folder: Path, prompts: Any) -> dict[str, str]:
    """One case for each prompt; the ids by prompt."""
    ids = {prompt: f"H-{number:03}" for number, prompt in enumerate(prompts, start=1)}
    cases = [
        {"id": id, "title": prompt, "input": prompt, "expect": {"text": {"contains": ["fine"]}}}
        | ({"timeout_s": HANGS_S} if prompt == "hang" else {})
        for prompt, id in ids.items()
    ]
    put(folder / "suite" / "cases.yaml", json.dumps({"cases": cases}))
    put(folder / "suite" / "base" / "tenant.json", "{}")
    return ids


def reports_are_whole(finished: Finished, trials: int) -> None:
    """Every report can be read, and counts every trial."""
    assert finished.report["summary"]["trials"]["total"] == trials
    junit = ElementTree.parse(finished.run / "junit.xml").getroot()
    assert int(junit.attrib["tests"]) == trials
    assert (finished.run / "summary.md").read_text(encoding="utf-8").startswith("## Run")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2]


def test_programs_that_do_everything_wrong(tmp_path: Path) -> None:
    """Pitfalls 12 and 14: hanging children, floods, depth, broken text; the good trial passes."""
    ids = suite(tmp_path, [*FAILED, *REPLIED])
    put(tmp_path / "agent.py", PROGRAM)
    pids = tmp_path / "pids"
    finished = harness(
        tmp_path, "run", "suite", "-a", f"command:{sys.executable} agent.py",
        "--env", f"PIDS={pids}",
    )  # fmt: skip
    assert finished.code == 1
    reports_are_whole(finished, len(ids))
    for kind, error in FAILED.items():
        trial = finished.trial(ids[kind])
        assert trial["outcome"] == "agent_error"
        assert error in trial["error"], kind
    for kind, text in REPLIED.items():
        trial = finished.trial(ids[kind])
        assert (trial["outcome"], trial["replies"][0]["text"]) == ("replied", text)
    passed = [case["title"] for case in finished.report["cases"] if case["status"] == "pass"]
    assert passed == ["good"]
    assert [pid for pid in map(int, pids.read_text(encoding="utf-8").split()) if alive(pid)] == []


def test_chat_servers_that_answer_what_is_no_answer(tmp_path: Path) -> None:
    """Every reason names the line or the field; nothing is tried again."""
    ids = suite(tmp_path, WEB_FAILED)
    put(tmp_path / "chat.py", WEB)
    port = free_port()
    finished = harness(
        tmp_path, "run", "suite", "-a", f"http://127.0.0.1:{port}/chat",
        "--serve", f"{sys.executable} chat.py {port}",
    )  # fmt: skip
    assert finished.code == 1
    reports_are_whole(finished, len(ids))
    for kind, error in WEB_FAILED.items():
        trial = finished.trial(ids[kind])
        assert (trial["outcome"], len(trial["attempts"])) == ("agent_error", 1)
        assert re.search(re.escape(error), trial["error"]), kind


def test_functions_that_hand_over_what_json_does_not_have(tmp_path: Path) -> None:
    """One deep or circular value, half a character, an exit: the run goes on."""
    ids = suite(tmp_path, ["nested", "circular", "half", "exit", "a set", "good"])
    code = """
import sys
def answer(messages, environment):
    kind = messages[-1]["content"]
    if kind == "exit":
        sys.exit(7)
    value = []
    if kind == "circular":
        value.append(value)
    if kind == "nested":
        for _ in range(5000):
            value = [value]
    data = {"a set": {1}, "half": "\\ud83e"}.get(kind, value)
    return {"text": "fine", "metadata": {"a": data}}
"""
    put(tmp_path / "agent.py", code)
    finished = harness(tmp_path, "run", "suite", "-a", "python:agent:answer")
    reports_are_whole(finished, len(ids))
    status = {case["title"]: case["error"] or "" for case in finished.report["cases"]}
    assert [kind for kind, error in status.items() if not error] == ["half", "good"]
    assert "SystemExit: 7" in status["exit"]
    assert "a set, which JSON does not have" in status["a set"]


STATEFUL = """
import asyncio, builtins, json, os, pathlib, signal, socket, subprocess, sys, threading, time
import urllib.request

kept = []

def answer(messages, environment):
    kind = messages[-1]["content"]
    kept.append(kind)
    if kind in DEEDS:
        DEEDS[kind](environment)
    left = [kept != [kind], "SPOILT" in os.environ, hasattr(json, "spoilt"),
            threading.active_count() > 1, os.path.exists("left.txt")]
    return "fine" if not any(left) else f"what others did is still there: {left}"

def elsewhere(environment):
    os.chdir("/")

def nowhere(environment):
    os.mkdir("gone"); os.chdir("gone"); os.rmdir(os.getcwd())

def surroundings(environment):
    os.environ.clear(); os.environ["SPOILT"] = "yes"

def modules(environment):
    json.spoilt = json.dumps = json.loads = builtins.print = os.write = socket.socket = None

def threads(environment):
    threading.Thread(target=time.sleep, args=(600,)).start()

def children(environment):
    code = "import time; time.sleep(600)"
    for own in (False, True):
        child = subprocess.Popen([sys.executable, "-c", code], start_new_session=own)
        with open(environment["PIDS"], "a") as file:
            file.write(f"{child.pid} ")

def flood(environment):
    for _ in range(100):
        sys.stdout.write("x" * 2**20)

def planted(environment):
    for run in pathlib.Path(environment["RUNS"]).iterdir():
        for case in run.glob("trials/*"):
            for number in (1, 2):
                if not (case / f"{number}.json").exists():
                    (case / f"{number}.json").write_text("{}")

DEEDS = {
    "chdir": elsewhere, "chdir to nowhere": nowhere, "environment": surroundings,
    "modules": modules, "threads": threads, "children": children, "flood": flood,
    "planted records": planted,
    "files": lambda _: pathlib.Path("left.txt").touch(),
    "closed output": lambda _: (os.close(1), os.close(2), sys.stdout.close()),
    "signals": lambda _: [signal.signal(n, signal.SIG_IGN) for n in (2, 15)],
    "limits": lambda _: sys.setrecursionlimit(50),
    "exit": lambda _: sys.exit(0),
    "hard exit": lambda _: os._exit(0),
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "kill its group": lambda _: os.killpg(0, signal.SIGKILL),
    "abort": lambda _: os.abort(),
}
"""
COSTS_ITS_TRIAL = {
    "exit": "raised SystemExit: 0",
    "hard exit": "left its process before it replied, with exit code 0",
    "kill": "ended by SIGKILL",
    "kill its group": "ended by SIGKILL",
    "abort": "ended by SIGABRT",
    "threads": "what others did is still there: [False, False, False, True, False]",
    "environment": "what others did is still there: [False, True, False, False, False]",
    "modules": "what others did is still there: [False, False, True, False, False]",
    "files": "what others did is still there: [False, False, False, False, True]",
}
"""What fails, and with which words; the deeds of the others harm nobody."""

HARMLESS = (
    "chdir", "chdir to nowhere", "children", "flood", "planted records", "closed output",
    "signals", "limits",
)  # fmt: skip


def test_what_a_function_does_to_its_process_costs_its_own_trial(tmp_path: Path) -> None:
    """Pitfall 12: state of one trial in another, lost trials, a run that ends."""
    ids = suite(tmp_path, [*HARMLESS, *COSTS_ITS_TRIAL, "good"])
    put(tmp_path / "agent.py", STATEFUL)
    pids = tmp_path / "pids"
    finished = harness(
        tmp_path, "run", "suite", "-a", "python:agent:answer", "-n", "2", "-j", "2",
        "--env", f"PIDS={pids}", "--env", f"RUNS={tmp_path / 'runs'}",
    )  # fmt: skip
    assert finished.code == 1, finished.said
    assert finished.report["summary"]["trials"]["valid"] == 2 * len(ids)
    status = {case["title"]: case["status"] for case in finished.report["cases"]}
    assert {kind for kind, said in status.items() if said != "pass"} == {*COSTS_ITS_TRIAL}
    for kind, said in COSTS_ITS_TRIAL.items():
        trial = finished.trial(ids[kind], 2)
        assert said in trial["error"] + "".join(reply["text"] for reply in trial["replies"])
    assert [pid for pid in map(int, pids.read_text(encoding="utf-8").split()) if alive(pid)] == []
    assert "not the harness's, and set aside: trials/H-" in (finished.run / "summary.md").read_text(
        encoding="utf-8"
    )


WANDERING = """
import os, tempfile
def answer(messages, environment):
    place = "/" if messages[-1]["content"] == "away" else tempfile.mkdtemp()
    os.chdir(place)
    if place != "/":
        os.rmdir(place)
    return "fine"
"""


@pytest.mark.parametrize("kind", ["away", "to nowhere"])
def test_a_function_inside_the_harness_may_go_elsewhere(tmp_path: Path, kind: str) -> None:
    """No finished trial is lost: every path of a run is absolute from the start."""
    suite(tmp_path, [kind])
    put(tmp_path / "agent.py", WANDERING)
    finished = harness(
        tmp_path, "run", "suite", "-a", "python:agent:answer", "--no-isolate", "-n", "2",
        "--report", "html,csv,charts", "--json-output", "copy/report.json", "--save-baseline",
    )  # fmt: skip
    assert finished.code == 0, finished.said
    assert finished.report["summary"]["trials"]["pass"] == 2
    assert (tmp_path / "copy" / "report.json").is_file()
    assert "reports in runs/" in finished.stdout
    again = harness(tmp_path, "run", "--resume", str(finished.run))
    assert again.report["summary"]["trials"]["pass"] == 2


def test_requests_that_are_nested_deeply_do_not_break_the_record(tmp_path: Path) -> None:
    """What an agent sends to the server is part of the record too."""
    ids = suite(tmp_path, ["90", "150", "250", "900", "5000"])
    code = """
import urllib.error, urllib.request
def answer(messages, environment):
    deep = int(messages[-1]["content"])
    for path in ("/tools/listOrgUnits",
                 "/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"):
        body = b'{"name": "x", "parentOrgUnitPath": "/", "a": ' + b"[" * deep + b"]" * deep + b"}"
        request = urllib.request.Request(environment["MOCK_SERVER_URL"] + path, body)
        request.add_header("Authorization", "Bearer " + environment["GOOGLE_OAUTH_ACCESS_TOKEN"])
        request.add_header("Content-Type", "application/json")
        try:
            urllib.request.urlopen(request).close()
        except urllib.error.HTTPError as error:
            assert error.code == 400, error.code
    return "fine"
"""
    put(tmp_path / "agent.py", code)
    finished = harness(tmp_path, "run", "suite", "-a", "python:agent:answer")
    assert finished.code == 0, finished.said
    assert all(len(finished.trial(id)["journal"]["entries"]) == 2 for id in ids.values())


def test_an_answer_after_the_session_closed_is_refused_and_noted(tmp_path: Path) -> None:
    """A call of a trial that is over meets 410, and the journal calls it late."""
    suite(tmp_path, ["good"])
    code = '''
import os, subprocess, sys
late = """
import os, time, urllib.request
while not os.path.exists(os.environ["OVER"]):
    time.sleep(0.05)
try:
    urllib.request.urlopen(os.environ["TOOLS_BASE_URL"] + "/listOrgUnits", b"{}")
except urllib.error.HTTPError as error:
    open(os.environ["SAID"], "w").write(str(error.code))
"""
unmarked = {name: value for name, value in os.environ.items() if name != "HARNESS_PROCESS"}
subprocess.Popen([sys.executable, "-c", late], start_new_session=True, env=unmarked,
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print("fine")
'''
    put(tmp_path / "agent.py", code)
    said, over = tmp_path / "said", tmp_path / "over"
    with serving(tmp_path / "suite") as (url, _):
        finished = harness(
            tmp_path, "run", "suite", "-a", f"command:{sys.executable} agent.py",
            "--mock", url, "--env", f"SAID={said}", "--env", f"OVER={over}",
        )  # fmt: skip
        over.touch()
        session = finished.trial("H-001")["session"]
        wait_until(lambda: said.exists() and said.read_text(encoding="utf-8"))
        with urllib.request.urlopen(f"{url}/_mock/sessions/{session}/journal") as answer:
            (entry,) = json.load(answer)["entries"]
    assert finished.code == 0
    assert (said.read_text(encoding="utf-8"), entry["status"], entry["after_close"]) == (
        "410",
        410,
        True,
    )
