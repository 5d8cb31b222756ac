"""AuthorizedSession of google-auth: URLs by hand, as many agents ask.

Asks for an objective once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
import requests
from google.auth.transport.requests import AuthorizedSession

MONITORING = "https://monitoring.googleapis.com/v3"
LOGGING = "https://logging.googleapis.com/v2"
SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


def main() -> None:
    credentials, project = google.auth.default(scopes=SCOPES)
    with AuthorizedSession(credentials) as session:  # type: ignore[no-untyped-call]
        facts = {
            "entries": entries(session, project),
            "services": services(session, project),
            "projects": projects(session),
            "account": account(session),
            "refusals": refusals(session, project, int(sys.argv[1])),
        }
    json.dump(facts, sys.stdout)


def answer_of(answer: requests.Response) -> Any:
    answer.raise_for_status()
    return answer.json()


def entries(session: AuthorizedSession, project: Any) -> int:
    body = {"resourceNames": [f"projects/{project}"], "filter": 'textPayload:"OOMKilled"'}
    return len(answer_of(session.post(f"{LOGGING}/entries:list", json=body)).get("entries", []))


def services(session: AuthorizedSession, project: Any) -> int:
    found = answer_of(session.get(f"{MONITORING}/projects/{project}/services"))
    return len(found["services"])


def projects(session: AuthorizedSession) -> list[str]:
    url = "https://cloudresourcemanager.googleapis.com/v3/projects:search"
    found = answer_of(session.get(url, params={"query": 'projectId:shop* OR displayName:"x*"'}))
    return sorted(project["projectId"] for project in found["projects"])


def account(session: AuthorizedSession) -> bool:
    url = "https://www.googleapis.com/oauth2/v1/tokeninfo"
    found = answer_of(session.get(url, params={"access_token": session.credentials.token}))
    return SCOPES[0] in found["scope"]


def refusals(session: AuthorizedSession, project: Any, times: int) -> list[list[Any]]:
    told = []
    for _ in range(times):
        answer = session.get(f"{MONITORING}/projects/{project}/alertPolicies")
        try:
            answer.raise_for_status()
        except requests.HTTPError:
            told.append([answer.json()["error"]["status"], answer.status_code])
    return told


if __name__ == "__main__":
    main()
