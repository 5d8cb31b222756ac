"""An agent that books flights with the tools of an MCP server, which its configuration names."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def transport(configuration: Path) -> Any:
    text = os.path.expandvars(configuration.read_text(encoding="utf-8"))
    server = json.loads(text)["mcpServers"]["travel"]
    if "url" in server:
        return streamable_http_client(server["url"])
    return stdio_client(StdioServerParameters(command=server["command"], args=server["args"]))


async def use(client: Client, tool: str, **arguments: Any) -> Any:
    done = await client.call_tool(tool, arguments)
    if done.is_error:
        raise SystemExit(f"{tool} failed: {done.content}")
    return done.structured_content


async def cheapest(client: Client, start: str, end: str, day: str) -> str:
    flights: list[Any] = []
    for page in range(1, 50):
        wanted = {"from": start, "to": end, "date": day, "page": page}
        found = (await use(client, "search_flights", **wanted))["flights"]
        if not found:
            break
        flights += found
    best = min(flights, key=lambda flight: flight["price"])
    return f"{best['id']} for {best['price']}"


async def work(client: Client, task: str) -> str:
    tools = {tool.name for tool in (await client.list_tools()).tools}
    if missing := {"search_flights", "book_flight", "cancel_booking"} - tools:
        return f"There is no tool {sorted(missing)}."
    if found := re.search(r"from (\w+) to (\w+) on ([\d-]+)", task):
        return await cheapest(client, *found.groups())
    if found := re.search(r"flight (\w+) for ([^,]+), (\S+), (\d+) seats", task):
        flight, name, email, seats = found.groups()
        made = await use(
            client, "book_flight", flightId=flight, name=name, email=email, seats=int(seats)
        )
        return f"Booked as {made['id']}."
    if found := re.search(r"Cancel booking (\w+)", task):
        done = await use(client, "cancel_booking", id=found[1])
        return f"{done['id']} is {done['status']}."
    return "I do not understand."


async def main() -> str:
    task = sys.stdin.read()
    async with Client(transport(Path(sys.argv[2]))) as client:
        if sys.argv[1] == "liar":
            await client.list_tools()
            return "EX102 for 171. Booked as B1. B7 is cancelled."
        return await work(client, task)


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(main()))
