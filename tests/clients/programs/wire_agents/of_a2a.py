"""`python of_a2a.py PORT`: the agent behind A2A, as the official SDK serves it."""

import asyncio
import sys
from typing import Any

import uvicorn
from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from desk import block_of, work
from starlette.applications import Starlette


class Desk(AgentExecutor):
    async def execute(self, context: Any, event_queue: Any) -> None:
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        env = block_of(context.call_context.state["headers"])
        steps = work(context.get_user_input(), env)
        while step := await asyncio.to_thread(next, steps, None):
            kind, text = step
            part = Part(text=text)
            if kind == "call":
                await updater.start_work(updater.new_agent_message([part]))
            else:
                await updater.add_artifact([part], name="answer")
        await updater.complete()

    async def cancel(self, context: Any, event_queue: Any) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


port = int(sys.argv[1])
interface = AgentInterface(
    url=f"http://127.0.0.1:{port}/", protocol_binding="JSONRPC", protocol_version="1.0"
)
card = AgentCard(
    name="People desk",
    description="Looks after accounts.",
    version="1.0.0",
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[AgentSkill(id="suspend", name="suspend", description="Suspends.", tags=["people"])],
    supported_interfaces=[interface],
)
handler = DefaultRequestHandler(Desk(), InMemoryTaskStore(), card)
routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")]
uvicorn.run(Starlette(routes=routes), port=port, log_level="warning")
