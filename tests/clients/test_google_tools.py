"""Tools of agent frameworks for Google's APIs, untouched, on what `understudy env` prints."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mockserver.client import MockServer
from tests.clients.conftest import Served
from tests.clients.packages import packages_of_google_tools
from tests.clients.running import PROGRAMS, run

pytestmark = pytest.mark.slow  # installs the frameworks, each of which takes seconds to load

TEAM = {"calendar:v3": {"calendars": [{"id": "team@example.com", "summary": "Team"}]}}
LANGCHAIN = {
    "create_gmail_draft": "Draft created. Draft Id",
    "send_gmail_message": "Message sent. Message Id",
    "search_gmail": ["Lunch"],
    "get_gmail_message": ["Lunch", True, ""],  # it looks for plain text, and sends HTML
    "get_gmail_thread": 1,
    "get_calendars_info": [2, True],
    "create_calendar_event": True,
    "search_events": [["Lunch", "2030-01-07T12:00:00Z"]],
    "update_calendar_event": "Event updated",
    "move_calendar_event": "Event moved",
    "delete_calendar_event": "Event deleted",
    "get_current_datetime": "Time zone",
    "create_google_task": True,
    "list_google_tasks": True,
    "update_google_task": True,
    "get_google_task": True,
    "delete_google_task": True,
    "sheets_create_spreadsheet": "Costs",
    "sheets_update_values": 2,
    "sheets_append_values": "Sheet1!A4:B4",
    "sheets_batch_update_values": 1,
    "sheets_clear_values": "Sheet1!D1",
    "sheets_read_data": [{"item": "tea", "price": 2}, {"item": "cake", "price": 4},
                         {"item": "milk", "price": 1}],
    "sheets_batch_read_data": 2,
    "sheets_get_by_data_filter": True,
    "sheets_get_spreadsheet_info": "Costs",
    "not called": [],
}  # fmt: skip
ADK = {
    "gmail_users_messages_send": ["SENT"],
    "gmail_users_messages_list": 1,
    "gmail_users_messages_get": "At noon?",
    "gmail_users_messages_modify": True,
    "gmail_users_labels_list": True,
    "gmail_users_drafts_create": ["DRAFT"],
    "calendar_events_insert": "confirmed",
    "calendar_events_list": ["Lunch"],
    "calendar_events_patch": "Room 1",
    "calendar_calendar_list_list": 2,
    "calendar_freebusy_query": 1,
    "calendar_events_delete": "{'text': ''}",
    "sheets_spreadsheets_create": "Costs",
    "sheets_spreadsheets_values_update": 4,
    "sheets_spreadsheets_values_append": "Sheet1!A3:B3",
    "sheets_spreadsheets_values_get": [["tea", "2"], ["all", "4"], ["milk", "1"]],
    "docs_documents_create": "Notes",
    "docs_documents_batch_update": 1,
    "docs_documents_get": 7,
    "slides_presentations_create": "Deck",
    "slides_presentations_get": 1,
    "bigquery_datasets_insert": "d",
    "bigquery_tables_insert": "t",
    "bigquery_tabledata_insert_all": "bigquery#tableDataInsertAllResponse",
    "bigquery_jobs_query": [{"f": [{"v": "ann"}]}],
    "said": "Done.",
}
PROGRAMS_OF = {"langchain_google_tools.py": LANGCHAIN, "adk_google_tools.py": ADK}
"""What the tools of each framework answer."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    suite = tmp_path_factory.mktemp("tools") / "suite"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "all.json").write_text(json.dumps({"resources": TEAM}), encoding="utf-8")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(suite, options=()))
        yield Served(runner, server)
        runner.run(server.close())


@pytest.mark.parametrize(("program", "told"), PROGRAMS_OF.items(), ids=PROGRAMS_OF)
def test_each_tool_of_a_framework_works(
    program: str, told: dict[str, Any], served: Served, tmp_path: Path
) -> None:
    packages = packages_of_google_tools()
    if isinstance(packages, str):
        pytest.skip(packages)
    block = {**served.block(served.open()), "PYTHONPATH": str(packages)}
    command = (sys.executable, "-W", "ignore", str(PROGRAMS / program))
    assert run(command, block, tmp_path).facts == told
