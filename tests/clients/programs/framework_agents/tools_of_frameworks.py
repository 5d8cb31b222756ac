"""Calls a tool as a framework does, with a session that answers, and one that lets it run."""

import asyncio
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ran, sent, answer = [], [], {}


class Session(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        sent.append([self.command, self.path.rpartition("/")[2], body])
        told = answer if self.command == "POST" else {"result": body.get("result")}
        content = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_PUT = do_POST  # noqa: N815

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Session)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["UNDERSTUDY_TOOLS"] = f"http://127.0.0.1:{server.server_port}/s/a/tools"

import mockserver.tools  # noqa: E402, F401


def pay(cents: int) -> dict:
    """Pay.

    Args:
        cents: How much.
    """
    ran.append(cents)
    return {"ran": cents}


async def langchain():
    from langchain_core.tools import tool

    return await tool(pay).ainvoke({"cents": 5})


async def openai_agents():
    from agents import function_tool
    from agents.tool_context import ToolContext

    made = function_tool(pay)
    context = ToolContext(None, tool_name="pay", tool_call_id="1", tool_arguments='{"cents": 5}')
    return await made.on_invoke_tool(context, '{"cents": 5}')


async def adk():
    from google.adk.tools import FunctionTool

    return await FunctionTool(pay).run_async(args={"cents": 5}, tool_context=None)


async def crewai():
    from crewai.tools import tool

    return tool("Pay")(pay).to_structured_tool().invoke({"cents": "5"})


async def smolagents():
    from smolagents import tool

    return tool(pay)(cents=5, sanitize_inputs_outputs=True)


async def claude_agent():
    from claude_agent_sdk import tool

    @tool("pay", "Pay.", {"cents": int})
    async def handle(arguments):
        return {"content": [{"type": "text", "text": json.dumps(pay(**arguments))}]}

    return json.loads((await handle.handler({"cents": 5}))["content"][0]["text"])


async def strands():
    from strands import tool

    use = {"toolUseId": "1", "name": "pay", "input": {"cents": "5"}}
    async for event in tool(pay).stream(use, {}):
        content = event["tool_result"]["content"][0]
        found = json.loads(content["text"]) if "text" in content else content["json"]
    return found


async def autogen():
    from autogen_core import CancellationToken
    from autogen_core.tools import FunctionTool

    made = FunctionTool(pay, description="Pay.")
    return await made.run_json({"cents": "5"}, CancellationToken())


async def agent_framework():
    from agent_framework import tool

    [content] = await tool(pay).invoke(arguments={"cents": "5"})
    return json.loads(content.text)


told = []
for each in ({"result": {"mocked": 5}}, {"real": 1, "named": True}):
    answer.clear()
    answer.update(each)
    told.append(asyncio.run(globals()[sys.argv[1]]()))
sys.stdout.write(json.dumps({"told": told, "ran": ran, "sent": sent}))
sys.stdout.flush()
os._exit(0)
