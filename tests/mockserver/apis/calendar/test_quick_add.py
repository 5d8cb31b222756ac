"""What texts of `quickAdd` mean on a Wednesday, half past ten."""

from datetime import UTC, datetime

import pytest

from mockserver.apis.calendar.quick_add import read_quick_text

NOW = datetime(2026, 3, 4, 10, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "summary", "start", "end"),
    [
        ("Lunch", "Lunch", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Lunch tomorrow", "Lunch", "2026-03-05", "2026-03-06"),
        ("Lunch today", "Lunch", "2026-03-04", "2026-03-05"),
        ("Party tonight at 8pm", "Party", "2026-03-04T20:00", "2026-03-04T21:00"),
        ("Call at 9", "Call", "2026-03-05T09:00", "2026-03-05T10:00"),
        ("Call at 11", "Call", "2026-03-04T11:00", "2026-03-04T12:00"),
        ("Call at 10:30", "Call", "2026-03-05T10:30", "2026-03-05T11:30"),
        ("Call 14:15", "Call", "2026-03-04T14:15", "2026-03-04T15:15"),
        ("Call 2pm for 30 minutes", "Call", "2026-03-04T14:00", "2026-03-04T14:30"),
        ("Call at 2pm for 2 hours", "Call", "2026-03-04T14:00", "2026-03-04T16:00"),
        ("Work 9-17 Friday", "Work 9-17", "2026-03-06", "2026-03-07"),
        ("Work 9am-5pm", "Work", "2026-03-05T09:00", "2026-03-05T17:00"),
        ("Work 9-5pm", "Work", "2026-03-05T09:00", "2026-03-05T17:00"),
        ("Work 9-9pm", "Work", "2026-03-05T09:00", "2026-03-05T21:00"),
        ("Work 9:30-5pm", "Work", "2026-03-05T09:30", "2026-03-05T17:00"),
        ("Work 9pm-9pm", "Work", "2026-03-04T21:00", "2026-03-05T21:00"),
        ("Call 9:30-10", "Call", "2026-03-05T09:30", "2026-03-05T10:00"),
        ("Call 11-11:45", "Call", "2026-03-04T11:00", "2026-03-04T11:45"),
        ("Work from 22:00 to 2:00", "Work", "2026-03-04T22:00", "2026-03-05T02:00"),
        (
            "Lunch with Bo tomorrow 12:30-2pm",
            "Lunch with Bo",
            "2026-03-05T12:30",
            "2026-03-05T14:00",
        ),
        ("Standup Wednesday", "Standup", "2026-03-11", "2026-03-12"),
        ("Standup thursday 9am", "Standup", "2026-03-05T09:00", "2026-03-05T10:00"),
        ("Standup on next Tuesday", "Standup", "2026-03-10", "2026-03-11"),
        ("Trip on 2026-05-06", "Trip", "2026-05-06", "2026-05-07"),
        ("Trip 2026-02-30", "Trip 2026-02-30", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Trip March 4", "Trip", "2026-03-04", "2026-03-05"),
        ("Trip 3 March", "Trip", "2027-03-03", "2027-03-04"),
        ("Trip 5. April at 7am", "Trip", "2026-04-05T07:00", "2026-04-05T08:00"),
        ("Trip on December 24, 2027", "Trip", "2027-12-24", "2027-12-25"),
        ("Trip Mar 5", "Trip Mar 5", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Call at 25", "Call at 25", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Call 10:75", "Call 10:75", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Call at 12am", "Call", "2026-03-05T00:00", "2026-03-05T01:00"),
        ("Call at 12pm", "Call", "2026-03-04T12:00", "2026-03-04T13:00"),
        ("Call 12am-12pm", "Call", "2026-03-05T00:00", "2026-03-05T12:00"),
        ("Call 9-10", "Call 9-10", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("Call 8/9", "Call 8/9", "2026-03-04T10:30", "2026-03-04T11:30"),
        ("for 2 h", "(No title)", "2026-03-04T10:30", "2026-03-04T12:30"),
        ("", "(No title)", "2026-03-04T10:30", "2026-03-04T11:30"),
        (" , at 9pm", "(No title)", "2026-03-04T21:00", "2026-03-04T22:00"),
        ("Call 9pm-8pm", "Call", "2026-03-04T21:00", "2026-03-05T20:00"),
        ("Call 9 to 10am", "Call", "2026-03-05T09:00", "2026-03-05T10:00"),
        ("Call for 45 mins", "Call", "2026-03-04T10:30", "2026-03-04T11:15"),
        ("Call at 23:59", "Call", "2026-03-04T23:59", "2026-03-05T00:59"),
        ("Call 0am", "Call", "2026-03-05T00:00", "2026-03-05T01:00"),
    ],
)
def test_a_text_means_an_event(text: str, summary: str, start: str, end: str) -> None:
    def at(moment: str) -> dict[str, str]:
        if "T" not in moment:
            return {"date": moment}
        return {"dateTime": f"{moment}:00+00:00", "timeZone": "Etc/UTC"}

    assert read_quick_text(text, NOW, "Etc/UTC") == {
        "summary": summary,
        "start": at(start),
        "end": at(end),
    }
