"""LangChain's tools for mail, calendars, tasks and sheets, each called as an agent would call it.

Prints what each tool answers, or the error that it met.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import google.auth
from googleapiclient.discovery import build
from langchain_google_community import (  # type: ignore[import-not-found]
    CalendarToolkit,
    GmailToolkit,
    SheetsToolkit,
    TasksToolkit,
)

ME = "me@example.com"
DAY = {"min_datetime": "2030-01-07 00:00:00", "max_datetime": "2030-01-08 00:00:00"}
NOON = {"start_datetime": "2030-01-07 12:00:00", "end_datetime": "2030-01-07 13:00:00",
        "timezone": "UTC"}  # fmt: skip
Ask = Callable[..., Any]


def main() -> None:
    credentials, _ = google.auth.default()

    def service(name: str, version: str) -> Any:
        return build(name, version, credentials=credentials)

    kits = (
        GmailToolkit(api_resource=service("gmail", "v1")),
        CalendarToolkit(api_resource=service("calendar", "v3")),
        TasksToolkit(api_resource=service("tasks", "v1")),
        SheetsToolkit(api_resource=service("sheets", "v4")),
    )
    tools = {tool.name: tool for kit in kits for tool in kit.get_tools()}
    told: dict[str, Any] = {}

    def ask(name: str, see: Callable[[Any], Any] = lambda answer: answer, **given: Any) -> Any:
        try:
            answer = tools[name].invoke(given)
            told[name] = see(answer)
        except Exception as error:  # noqa: BLE001  (what a tool cannot do is told)
            answer, told[name] = None, f"{type(error).__name__}: {error}"[:300]
        return answer

    for steps in (mail, calendar, tasks, sheets):
        steps(ask)
    told["not called"] = sorted(set(tools) - set(told))
    json.dump(told, sys.stdout)


def mail(ask: Ask) -> None:
    letter = {"message": "<p>See you at noon.</p>", "subject": "Lunch"}
    ask("create_gmail_draft", lambda said: said.split(":")[0], to=[ME], **letter)
    sent = ask("send_gmail_message", lambda said: said.split(":")[0], to=ME, **letter)
    ident = str(sent).rpartition(" ")[2]
    ask("search_gmail", lambda found: [each["subject"] for each in found], query="in:sent lunch")
    seen = ask("get_gmail_message", lambda one: [one["subject"], "@" in one["sender"], one["body"]],
               message_id=ident)  # fmt: skip
    ask(
        "get_gmail_thread", lambda one: len(one["messages"]), thread_id=(seen or {}).get("threadId")
    )


def calendar(ask: Ask) -> None:
    info = ask("get_calendars_info", lambda told: [len(json.loads(told)), "timeZone" in told])
    ask("create_calendar_event", lambda said: "eid=" in said, summary="Lunch", **NOON)

    def see(several: Any) -> Any:
        return [[each["summary"], each["start"]] for each in several]

    found = ask("search_events", see, calendars_info=info, **DAY)
    ident = (found or [{"id": ""}])[0]["id"]
    ask("update_calendar_event", lambda said: said.split(":")[0], event_id=ident, location="Room 1")
    ask("move_calendar_event", lambda said: said.split(":")[0], event_id=ident,
        origin_calendar_id="primary", destination_calendar_id="team@example.com")  # fmt: skip
    ask("delete_calendar_event", event_id=ident, calendar_id="team@example.com")
    ask("get_current_datetime", lambda said: said.split(":")[0])


def tasks(ask: Ask) -> None:
    ask("create_google_task", lambda told: "Shop" in str(told), title="Shop", due="2030-01-07")
    found = ask("list_google_tasks", lambda told: "Shop" in str(told))
    ident = str(found).partition("ID: ")[2].partition("\n")[0]
    ask("update_google_task", lambda told: "completed" in str(told), task_id=ident,
        status="completed")  # fmt: skip
    ask("get_google_task", lambda told: "completed" in str(told), task_id=ident)
    ask("delete_google_task", lambda told: "delete" in str(told), task_id=ident)


def sheets(ask: Ask) -> None:
    made = ask("sheets_create_spreadsheet", lambda told: told["title"], title="Costs",
               initial_data=[["item", "price"], ["tea", 2]], initial_range="A1")  # fmt: skip
    where = {"spreadsheet_id": (made or {}).get("spreadsheet_id")}
    ask("sheets_update_values", lambda told: told["updated_cells"], **where, range="A3",
        values=[["cake", "=B2*2"]])  # fmt: skip
    ask("sheets_append_values", lambda told: told["updated_range"], **where, range="A1",
        values=[["milk", 1]])  # fmt: skip
    data = [{"range": "D1", "values": [["note"]]}]
    ask("sheets_batch_update_values", lambda told: told["total_updated_cells"], **where, data=data)
    ask("sheets_clear_values", lambda told: told["cleared_range"], **where, range="D1")
    ask("sheets_read_data", lambda told: told["values"], **where, range_name="A1:B4",
        convert_to_records=True)  # fmt: skip
    ask("sheets_batch_read_data", lambda told: len(told["results"]), **where, ranges=["A1", "B2"])
    ask("sheets_get_by_data_filter", lambda told: bool(told["success"]), **where,
        data_filters=[{"a1Range": "A1:B2"}])  # fmt: skip
    ask("sheets_get_spreadsheet_info", lambda told: told["title"], **where)


if __name__ == "__main__":
    main()
