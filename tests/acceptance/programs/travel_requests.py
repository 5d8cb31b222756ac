"""An agent that books flights with `requests`; it knows nothing of a mock server."""

import os
import re
import sys
from typing import Any

import requests

API = "https://api.travel.example.com/v1"


def cheapest(session: requests.Session, start: str, end: str, day: str) -> str:
    url, query = f"{API}/flights", {"from": start, "to": end, "date": day, "per_page": "1"}
    flights = []
    while url:
        page = session.get(url, params=query, timeout=30)
        page.raise_for_status()
        flights += page.json()
        url, query = page.links.get("next", {}).get("url", ""), {}
    best = min(flights, key=lambda flight: flight["price"])
    return f"{best['id']} for {best['price']}"


def book(session: requests.Session, flight: str, name: str, email: str, seats: int) -> str:
    body: Any = {"flightId": flight, "seats": seats, "passenger": {"name": name, "email": email}}
    made = session.post(f"{API}/bookings", json=body, timeout=30)
    made.raise_for_status()
    return f"Booked as {made.json()['id']}."


def cancel(session: requests.Session, booking: str) -> str:
    done = session.post(f"{API}/bookings/{booking}/cancel", timeout=30)
    done.raise_for_status()
    return f"{booking} is {done.json()['status']}."


def main() -> str:
    task = sys.stdin.read()
    if sys.argv[1] == "liar":
        return "EX102 for 171. Booked as B1. B7 is cancelled."
    session = requests.Session()
    session.headers["X-Api-Key"] = os.environ["TRAVEL_API_KEY"]
    if found := re.search(r"from (\w+) to (\w+) on ([\d-]+)", task):
        return cheapest(session, *found.groups())
    if found := re.search(r"flight (\w+) for ([^,]+), (\S+), (\d+) seats", task):
        return book(session, found[1], found[2], found[3], int(found[4]))
    found = re.search(r"Cancel booking (\w+)", task)
    return cancel(session, found[1]) if found else "I do not understand."


if __name__ == "__main__":
    sys.stdout.write(main())
