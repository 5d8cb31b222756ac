"""google-api-python-client: a tenant's org units and users, pages, a batch, a change and a mistake.

Asks for an account once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

MINE = {"customerId": "my_customer"}


def main() -> None:
    credentials, project = google.auth.default()
    facts: dict[str, Any] = {"project": project}
    with build("admin", "directory_v1", credentials=credentials) as directory:
        facts |= units(directory.orgunits())
        facts["users"] = pages(directory.users())
        facts["batch"] = in_one_batch(directory)
        facts["refusals"] = refusals(directory.users(), int(sys.argv[1]))
    with build("logging", "v2", credentials=credentials) as logging:
        body = {"resourceNames": [f"projects/{project}"], "filter": "severity>=ERROR"}
        facts["entries"] = len(logging.entries().list(body=body).execute()["entries"])
    json.dump(facts, sys.stdout)


def units(orgunits: Any) -> dict[str, Any]:
    made = orgunits.insert(**MINE, body={"name": "Night", "parentOrgUnitPath": "/"}).execute()
    listed = orgunits.list(**MINE, type="children").execute()["organizationUnits"]
    orgunits.delete(**MINE, orgUnitPath="Night").execute()
    gone: list[Any] = []
    try:
        orgunits.get(**MINE, orgUnitPath="Night").execute()
    except HttpError as error:
        gone = [error.status_code, error.reason]
    return {"made": made["orgUnitPath"], "listed": made in listed, "gone": gone}


def pages(users: Any) -> int:
    found, request = 0, users.list(customer="my_customer", maxResults=10)
    while request is not None:
        answer = request.execute()
        found += len(answer["users"])
        request = users.list_next(request, answer)
    return found


def in_one_batch(directory: Any) -> list[Any]:
    told: list[Any] = []

    def tell(_: str, answer: Any, error: HttpError | None) -> None:
        told.append(error.status_code if error else answer["orgUnitPath"])

    batch = directory.new_batch_http_request(callback=tell)
    for path in ("Finance", "Nowhere"):
        batch.add(directory.orgunits().get(**MINE, orgUnitPath=path))
    batch.execute()
    return told


def refusals(users: Any, times: int) -> list[list[Any]]:
    told = []
    for _ in range(times):
        try:
            users.get(userKey="ada.lindqvist@example.com").execute()
        except HttpError as error:
            told.append([type(error).__name__, error.status_code])
    return told


if __name__ == "__main__":
    main()
