"""ADK's toolsets of Google's APIs, each tool called by an agent whose model follows a list.

Prints what each tool answers.
"""

import asyncio
import json
import sys
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.auth.auth_credential import ServiceAccount
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.google_api_tool import (
    BigQueryToolset,
    CalendarToolset,
    DocsToolset,
    GmailToolset,
    SheetsToolset,
    SlidesToolset,
)
from google.genai import types

MAIL = urlsafe_b64encode(b"To: bo@example.com\r\nSubject: Lunch\r\n\r\nAt noon?").decode()
ME, PROJECT, NOON = {"user_id": "me"}, {"projects_id": "p"}, "2030-01-07T{}:00:00Z"
EVENT = {"summary": "Lunch", "start": {"dateTime": NOON.format(12)},
         "end": {"dateTime": NOON.format(13)}}  # fmt: skip
TABLE = {"table_reference": {"projectId": "p", "datasetId": "d", "tableId": "t"},
         "schema": {"fields": [{"name": "who", "type": "STRING"}]}}  # fmt: skip
Answers = Mapping[str, Any]
Step = tuple[str, Callable[[Answers], dict[str, Any]], Callable[[Any], Any]]


def sheet(seen: Answers) -> dict[str, Any]:
    return {"spreadsheet_id": seen["sheets_spreadsheets_create"]["spreadsheetId"]}


def event(seen: Answers) -> dict[str, Any]:
    return {"calendar_id": "primary", "event_id": seen["calendar_events_insert"]["id"]}


def cells(values: list[Any]) -> dict[str, Any]:
    return {"range": "A1", "value_input_option": "USER_ENTERED", "values": values}


def mail(seen: Answers) -> dict[str, Any]:
    return {**ME, "id": seen["gmail_users_messages_send"]["id"]}


def write(text: str) -> dict[str, Any]:
    return {"requests": [{"insertText": {"location": {"index": 1}, "text": text}}]}


STEPS: tuple[Step, ...] = (
    ("gmail_users_messages_send", lambda _: {**ME, "raw": MAIL}, lambda told: told["labelIds"]),
    ("gmail_users_messages_list", lambda _: {**ME, "q": "subject:lunch"},
     lambda told: len(told["messages"])),
    ("gmail_users_messages_get", mail, lambda told: told["snippet"]),
    ("gmail_users_messages_modify", lambda seen: {**mail(seen), "add_label_ids": ["STARRED"]},
     lambda told: "STARRED" in told["labelIds"]),
    ("gmail_users_labels_list", lambda _: ME, lambda told: len(told["labels"]) > 5),
    ("gmail_users_drafts_create", lambda _: {**ME, "message": {"raw": MAIL}},
     lambda told: told["message"]["labelIds"]),
    ("calendar_events_insert", lambda _: {"calendar_id": "primary", **EVENT},
     lambda told: told["status"]),
    ("calendar_events_list",
     lambda _: {"calendar_id": "primary", "time_min": NOON.format("00"), "single_events": True},
     lambda told: [each["summary"] for each in told["items"]]),
    ("calendar_events_patch", lambda seen: {**event(seen), "location": "Room 1"},
     lambda told: told["location"]),
    ("calendar_calendar_list_list", lambda _: {}, lambda told: len(told["items"])),
    ("calendar_freebusy_query",
     lambda _: {"time_min": NOON.format("00"), "time_max": NOON.format(23),
                "items": [{"id": "primary"}]},
     lambda told: len(told["calendars"]["primary"]["busy"])),
    ("calendar_events_delete", event, str),
    ("sheets_spreadsheets_create", lambda _: {"properties": {"title": "Costs"}},
     lambda told: told["properties"]["title"]),
    ("sheets_spreadsheets_values_update",
     lambda seen: {**sheet(seen), **cells([["tea", 2], ["all", "=B1*2"]])},
     lambda told: told["updatedCells"]),
    ("sheets_spreadsheets_values_append", lambda seen: {**sheet(seen), **cells([["milk", 1]])},
     lambda told: told["updates"]["updatedRange"]),
    ("sheets_spreadsheets_values_get", lambda seen: {**sheet(seen), "range": "A1:B3"},
     lambda told: told["values"]),
    ("docs_documents_create", lambda _: {"title": "Notes"}, lambda told: told["title"]),
    ("docs_documents_batch_update",
     lambda seen: {"document_id": seen["docs_documents_create"]["documentId"], **write("Hello")},
     lambda told: len(told["replies"])),
    ("docs_documents_get",
     lambda seen: {"document_id": seen["docs_documents_create"]["documentId"]},
     lambda told: told["body"]["content"][-1]["endIndex"]),
    ("slides_presentations_create", lambda _: {"title": "Deck"}, lambda told: told["title"]),
    ("slides_presentations_get",
     lambda seen: {"presentations_id": seen["slides_presentations_create"]["presentationId"]},
     lambda told: len(told["slides"])),
    ("bigquery_datasets_insert",
     lambda _: {**PROJECT, "dataset_reference": {"projectId": "p", "datasetId": "d"}},
     lambda told: told["datasetReference"]["datasetId"]),
    ("bigquery_tables_insert", lambda _: {**PROJECT, "datasets_id": "d", **TABLE},
     lambda told: told["tableReference"]["tableId"]),
    ("bigquery_tabledata_insert_all",
     lambda _: {**PROJECT, "datasets_id": "d", "tables_id": "t",
                "rows": [{"json": {"who": "ann"}}]},
     lambda told: told["kind"]),
    ("bigquery_jobs_query",
     lambda _: {**PROJECT, "query": "select who from d.t", "use_legacy_sql": False},
     lambda told: told["rows"]),
)  # fmt: skip


class Listed(BaseLlm):  # type: ignore[misc]  # its package is installed for its test alone
    """A model that calls one tool after another, with what the tools before answered."""

    seen: dict[str, Any] = {}

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncIterator[LlmResponse]:
        done = len(self.seen)
        part = types.Part(text="Done.")
        if done < len(STEPS):
            name, given, _ = STEPS[done]
            try:
                part = types.Part.from_function_call(name=name, args=given(self.seen))
            except (KeyError, TypeError) as error:
                part = types.Part(text=f"{name} needs {error!r}")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main() -> None:
    scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    account = ServiceAccount(use_default_credential=True, scopes=scopes)
    kinds = (GmailToolset, CalendarToolset, SheetsToolset, DocsToolset, SlidesToolset,
             BigQueryToolset)  # fmt: skip
    names = [name for name, _, _ in STEPS]
    kits = [kind(service_account=account, tool_filter=names) for kind in kinds]
    model = Listed(model="listed")
    agent = LlmAgent(name="desk", model=model, tools=kits)
    runner = InMemoryRunner(agent, app_name="desk")
    session = await runner.session_service.create_session(app_name="desk", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Go on.")])
    told: dict[str, Any] = {}
    see = {name: how for name, _, how in STEPS}
    async for each in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        for part in (each.content and each.content.parts) or []:
            answer = part.function_response
            if answer is not None:
                model.seen[answer.name] = answer.response
                try:
                    told[answer.name] = see[answer.name](answer.response)
                except (KeyError, TypeError, IndexError):
                    told[answer.name] = str(answer.response)[:300]
            elif part.text:
                told["said"] = part.text
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
