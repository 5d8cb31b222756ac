"""A suite in the chrome layout and spelling, and an agent for it."""

import json
from pathlib import Path

from tests.casefiles import put

ENTRIES = [
    {
        "id": "EC-086",
        "title": "Scan settings do not reach a unit",
        "category": "policy",
        "source_refs": ["Example-1"],
        "case_file": "evals/cases/EC-086-scan-settings-missing.md",
        "mode": "rubric",
        "tags": ["scan", "units"],
        "expected_schema": ["diagnosis", "evidence", "hypotheses", "next_steps"],
        "fixtures": [],
        "required_evidence": ["Quarantine"],
        "rubric": {"min_score": 2, "criteria": ["diagnosis", "evidence", "next"]},
    },
    {
        "id": "EC-087",
        "title": "A unit that is made and found",
        "category": "connector",
        "case_file": "evals/cases/EC-087-made-and-found.md",
        "mode": "multi-turn",
        "tags": ["dlp"],
        "required_evidence": ["Attic is there"],
        "turn_assertions": [{"turn": 2, "required_tool_calls": ["listOrgUnits"]}],
    },
]

PROMPT = "Why do our scan settings not reach every unit?"

CASE = f"""# EC-086: Scan settings do not reach a unit

## Summary

One unit is left out.

## Reproduction

1. Look at the units

## Conversation

User: "{PROMPT}"

## Expected result

- The unit is named

## Cleanup

- None
"""

TURNS = """# EC-087: A unit that is made and found

## Conversation

**User:** Make a unit called Attic.

**User:** Is it there?
"""


def unit(name: str) -> dict[str, str]:
    """An organizational unit below the root."""
    return {
        "name": name,
        "orgUnitPath": f"/{name}",
        "parentOrgUnitPath": "/",
        "orgUnitId": f"id:03ph8a2z1{name.lower()[:6]}",
    }


BASE = {"orgUnits": [unit("Engineering")], "policySchemas": [], "auditEvents": {"items": []}}
OVERRIDES = {"orgUnits": [unit("Quarantine")]}

AGENT = """
import json, os, sys, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

def ask(env, path, body):
    request = urllib.request.Request(env["MOCK_SERVER_URL"] + path, json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + env["GOOGLE_OAUTH_ACCESS_TOKEN"])
    request.add_header("Content-Type", "application/json")
    return json.load(urllib.request.urlopen(request))

def reply(messages, env):
    said = messages[-1]["content"]
    if "Make" in said:
        path = "/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
        ask(env, path, {"name": "Attic", "parentOrgUnitPath": "/"})
        return "Made."
    found = ask(env, "/tools/listOrgUnits", {})
    return answer([unit["name"] for unit in found["result"]["orgUnits"]])

def answer(names):
    there = "Attic is there" if "Attic" in names else "no such unit"
    return {"text": f"Diagnosis: {there}. Evidence: {', '.join(names)}. Next: nothing.",
            "metadata": {"diagnosis": there, "evidence": names, "hypotheses": ["none"],
                         "nextSteps": ["nothing"]},
            "toolCalls": [{"name": "listOrgUnits", "args": {}, "status": "ok"}]}

class Chat(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with Path("seen.jsonl").open("a") as seen:
            seen.write(json.dumps({"headers": dict(self.headers), "body": body}) + "\\n")
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        if "fixtures" in body:
            out = answer([unit["name"] for unit in body["fixtures"].get("orgUnits", [])])
        else:
            out = reply(body["messages"], {**os.environ, "GOOGLE_OAUTH_ACCESS_TOKEN": token})
        content = json.dumps(out if isinstance(out, dict) else {"text": out}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass

if __name__ == "__main__":
    if len(sys.argv) > 1:
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Chat).serve_forever()
    print(json.dumps(reply(json.load(sys.stdin)["messages"], os.environ)))
"""


def chrome_suite(folder: Path) -> Path:
    """`evals/` in the chrome layout, with `agent.py` beside it."""
    for name, text in {
        "evals/registry.json": json.dumps(ENTRIES),
        "evals/cases/EC-086-scan-settings-missing.md": CASE,
        "evals/cases/EC-087-made-and-found.md": TURNS,
        "evals/fixtures/base/api-base.json": json.dumps(BASE),
        "evals/fixtures/EC-086/overrides.json": json.dumps(OVERRIDES),
        "agent.py": AGENT,
    }.items():
        put(folder / name, text)
    return folder
