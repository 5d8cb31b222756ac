"""Make the calls of a list with one client, follow the pages, look up who is in them, tell all.

Arguments: the client (curl, httpx or requests), the base URL, the list of calls, a JSON file.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

Ask = Callable[[str, str, dict[str, str], bytes], tuple[int, bytes]]


def httpx_client() -> Ask:
    import httpx

    client = httpx.Client()

    def ask(method: str, url: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        client.cookies.clear()
        answer = client.request(method, url, headers=headers, content=body or None)
        return answer.status_code, answer.content

    return ask


def requests_client() -> Ask:
    import requests

    def ask(method: str, url: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        answer = requests.request(
            method, url, headers=headers, data=body or None, allow_redirects=False, timeout=60
        )
        return answer.status_code, answer.content

    return ask


def curl_client() -> Ask:
    sent, got = Path("sent"), Path("got")

    def ask(method: str, url: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        command = ["curl", "-sS", "--globoff", "--path-as-is", "--max-time", "60"]
        command += ["--request", method, "--output", str(got), "--write-out", "%{http_code}"]
        for name, value in headers.items():
            command += ["--header", f"{name}: {value}"]
        if body:
            sent.write_bytes(body)
            command += ["--data-binary", f"@{sent}"]
        got.write_bytes(b"")
        told = subprocess.run([*command, url], capture_output=True, check=True, text=True)
        return int(told.stdout), got.read_bytes()

    return ask


CLIENTS = {"curl": curl_client, "httpx": httpx_client, "requests": requests_client}


def walk(ask: Ask, base: str) -> dict[str, Any]:
    """All pages of people; each of them by id; and the manager of each by the id they name."""
    people: list[Any] = []
    token, pages = "", 0
    while pages < 20:
        query = f"?{urlencode({'pageToken': token})}" if token else ""
        status, body = ask("GET", f"{base}/people{query}", {}, b"")
        page: dict[str, Any] = json.loads(body) if status == 200 else {"people": []}
        pages += 1
        people += page["people"]
        token = page.get("nextPageToken", "")
        if not token:
            break
    url, linked = f"{base}/people-by-link", 0
    while url and linked < 20:
        status, body = ask("GET", url, {}, b"")
        linked += status == 200
        url = json.loads(body).get("next", "") if status == 200 else ""
    joined = []
    for person in people:
        for who in (person["id"], person["manager"]):
            status, body = ask("GET", f"{base}/people/{quote(who, safe='')}", {}, b"")
            joined.append(status == 200 and json.loads(body)["id"] == who)
    return {"pages": pages, "people": len(people), "linked": linked, "joined": joined}


def main() -> None:
    client, base, people, calls = sys.argv[1:]
    ask = CLIENTS[client]()
    answers = []
    for call in json.loads(Path(calls).read_text(encoding="utf-8")):
        body = base64.b64decode(call["body"])
        status, content = ask(call["method"], base + call["url"], call["headers"], body)
        answers.append([status, base64.b64encode(content).decode()])
    sys.stdout.write(json.dumps({"answers": answers, "walk": walk(ask, base + people)}))


if __name__ == "__main__":
    main()
