"""A `python:` agent whose clients read no proxy variables: urllib3, aiohttp, httpx without them."""

import asyncio
import os
import re
from typing import Any

import aiohttp
import httpx
import urllib3

API = "https://api.travel.example.com/v1"


def _key() -> dict[str, str]:
    return {"X-Api-Key": os.environ["TRAVEL_API_KEY"]}


def _cheapest(start: str, end: str, day: str) -> str:
    with urllib3.PoolManager() as http:
        fields = {"from": start, "to": end, "date": day}
        found = http.request("GET", f"{API}/flights", fields=fields, headers=_key())
    best = min(found.json(), key=lambda flight: flight["price"])
    return f"{best['id']} for {best['price']}"


async def _book(flight: str, name: str, email: str, seats: int) -> str:
    body: Any = {"flightId": flight, "seats": seats, "passenger": {"name": name, "email": email}}
    async with (
        aiohttp.ClientSession(headers=_key()) as session,
        session.post(f"{API}/bookings", json=body) as made,
    ):
        return f"Booked as {(await made.json())['id']}."


def _cancel(booking: str) -> str:
    with httpx.Client(trust_env=False, headers=_key()) as client:
        done = client.post(f"{API}/bookings/{booking}/cancel")
    return f"{booking} is {done.json()['status']}."


def answer(messages: list[dict[str, str]], environment: dict[str, str]) -> str:
    task = messages[-1]["content"]
    if found := re.search(r"from (\w+) to (\w+) on ([\d-]+)", task):
        return _cheapest(*found.groups())
    if found := re.search(r"flight (\w+) for ([^,]+), (\S+), (\d+) seats", task):
        return asyncio.run(_book(found[1], found[2], found[3], int(found[4])))
    found = re.search(r"Cancel booking (\w+)", task)
    return _cancel(found[1]) if found else "I do not understand."


def lost(messages: list[dict[str, str]], environment: dict[str, str]) -> str:
    """Asks a host that no suite knows."""
    httpx.get("https://api.unknown.example/")
    return "answered"
