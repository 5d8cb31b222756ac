"""The handlers of the routes. What waits for files or the database runs in threads."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from starlette.responses import FileResponse, Response, StreamingResponse

from harness.agents import Destinations
from harness.errors import HarnessError
from harness.runner import Clock, timestamp
from harness.server.messages import Call, RefusedError, json_response
from harness.server.order_preparation import prepare_run, refuse_destination
from harness.server.run_queue import Event, LiveRun, RunQueue, last_seen
from harness.server.schemas import (
    BaselinesResponse,
    BenchmarksResponse,
    HarnessesResponse,
    HealthResponse,
    NamedRunOrder,
    NewBaseline,
    NewSuite,
    RagOrder,
    RagQuery,
    RagResponse,
    RunAccepted,
    RunOrder,
    RunsResponse,
    SuitesResponse,
)
from harness.server.settings import Settings
from harness.server.store import Store, SuiteDirectory
from harness.statistics import Retrieval, RetrievalFigures, retrieval_figures
from harness.storage import suite_name
from mockserver import __version__

_LONGEST_HEADER = 4096


class Handlers:
    """Answers each route.

    Args:
        settings: What the server may do.
        clock: The time of day.

    Raises:
        HarnessError: The URL of the index makes no sense, or the extra is not installed.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._destinations = Destinations(settings.allowed_agents)
        self.suite_directory = SuiteDirectory(settings.suites, settings.runs)
        self.store = Store(settings)
        self.live = RunQueue(settings, clock, self.store.add)

    async def close(self) -> None:
        """End the runs, let go of the index."""
        await self.live.close()
        self.store.close()

    async def health(self, _call: Call[None]) -> Response:
        """`GET /api/health`."""
        index, well = await asyncio.to_thread(self.store.health)
        running, queued = self.live.counts()
        said = HealthResponse(
            status="ok" if well else "degraded",
            version=__version__,
            running=running,
            queued=queued,
            index=index,
        )
        return json_response(said)

    async def suites(self, _call: Call[None]) -> Response:
        """`GET /api/eval/suites`."""
        return json_response(
            SuitesResponse(await asyncio.to_thread(self.suite_directory.list_suites))
        )

    async def harnesses(self, _call: Call[None]) -> Response:
        """`GET /api/eval/harnesses`."""
        return json_response(
            HarnessesResponse(harnesses=await asyncio.to_thread(self.suite_directory.harnesses))
        )

    async def create_suite(self, call: Call[NewSuite]) -> Response:
        """`POST /api/eval/suites`."""
        said = await asyncio.to_thread(self.suite_directory.create, call.body, self._now)
        return json_response(said, 201)

    async def run_suite(self, call: Call[RunOrder]) -> Response:
        """`POST /api/eval/suites/{name}/run`."""
        return await self._begin(call.path["name"], call.body)

    async def run_named(self, call: Call[NamedRunOrder]) -> Response:
        """`POST /api/eval/run`."""
        agent = call.body.provider or self._settings.agent
        if not agent:
            hint = "name one as provider, or start the server with --agent"
            raise RefusedError(422, "the order names no agent", hint=hint)
        asked = RunOrder(
            agent=agent,
            baseline=call.body.baseline_id,
            timeout=call.body.timeout,
            note=f"model {call.body.model}" if call.body.model else "",
        )
        return await self._begin(call.body.suite_id, asked)

    async def runs(self, call: Call[None]) -> Response:
        """`GET /api/eval/runs`; what is beside the page is in the headers."""
        asked = call.query.model_dump()
        if asked["suite"]:
            asked["suite"] = await asyncio.to_thread(self._indexed_name, asked["suite"])
        page = await asyncio.to_thread(lambda: self.store.runs(**asked))
        headers = {}
        if page.next:
            more = {**call.query.model_dump(exclude_defaults=True), "before": page.next}
            headers = {
                "x-next": page.next,
                "link": f'</api/eval/runs?{urlencode(more)}>; rel="next"',
            }
        if page.warnings:
            headers["x-warnings"] = json.dumps(page.warnings)[:_LONGEST_HEADER]
        return json_response(RunsResponse(list(page.runs)), headers=headers)

    async def run(self, call: Call[None]) -> Response:
        """`GET /api/eval/runs/{id}`."""
        id = call.path["id"]
        return json_response(await asyncio.to_thread(self.store.run, id, self.live.get(id)))

    async def report(self, call: Call[None]) -> Response:
        """`GET /api/eval/runs/{id}/report`."""
        path = await asyncio.to_thread(self.store.report, call.path["id"])
        return FileResponse(path, media_type="application/json")

    async def events(self, call: Call[None]) -> Response:
        """`GET /api/eval/runs/{id}/events`; of a run that is long over, its end alone."""
        id = call.path["id"]
        live = self.live.get(id)
        last = last_seen(call.request.headers.get("last-event-id", ""))
        stream = live.events.follow(last) if live else await self._end_of(id)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    async def cancel(self, call: Call[None]) -> Response:
        """`POST /api/eval/runs/{id}/cancel`."""
        id = call.path["id"]
        live = self.live.get(id)
        said = await asyncio.to_thread(self.store.run, id, live)
        if live is None or not live.is_running:
            raise RefusedError(409, f"run {id!r} is not going on here", hint=f"it is {said.state}")
        live.stop.set()
        return json_response(said, 202)

    async def promote(self, call: Call[NewBaseline]) -> Response:
        """`POST /api/eval/runs/{id}/baseline`."""
        id = call.path["id"]
        live = self.live.get(id)
        if live is not None and live.is_running:
            raise RefusedError(409, f"run {id!r} is going on", hint="wait for its end")
        return json_response(
            await asyncio.to_thread(self.store.promote, id, call.body.note, self._now()), 201
        )

    async def baselines(self, _call: Call[None]) -> Response:
        """`GET /api/eval/baselines`."""
        return json_response(BaselinesResponse(await asyncio.to_thread(self.store.all_baselines)))

    async def demote(self, call: Call[None]) -> Response:
        """`DELETE /api/eval/baselines/{id}`."""
        return json_response(await asyncio.to_thread(self.store.demote, call.path["id"]))

    async def regressions(self, call: Call[None]) -> Response:
        """`GET /api/eval/regressions/{suite}`."""
        asked = call.query.model_dump()
        name = await asyncio.to_thread(self._indexed_name, call.path["suite"])
        return json_response(await asyncio.to_thread(lambda: self.store.regressions(name, **asked)))

    async def rag(self, call: Call[RagOrder]) -> Response:
        """`POST /api/eval/rag`."""
        if not call.body.queries:
            return json_response(_single_query_figures(call.body))
        figures = await asyncio.to_thread(_retrieval_figures, call.body.queries, call.body.k)
        return json_response(
            RagResponse(
                queries=figures.queries,
                hit_at_1=figures.hit_at_1,
                recall=figures.recall,
                mrr=figures.mrr,
            )
        )

    async def benchmarks(self, _call: Call[None]) -> Response:
        """`GET /api/benchmarks`."""
        return json_response(
            BenchmarksResponse(benchmarks=await asyncio.to_thread(self.store.benchmarks))
        )

    async def _begin(self, name: str, order: RunOrder) -> Response:
        self.live.stop_accepting()
        path: Path = await asyncio.to_thread(self.suite_directory.path, name)
        await refuse_destination(order.agent, self._destinations)
        checked = partial(prepare_run, settings=self._settings, destinations=self._destinations)
        prepared = await asyncio.to_thread(checked, order, name, path)
        try:
            run = self.live.submit(prepared)
        except HarnessError:
            await prepared.driver.close()
            raise
        return self._accept_run(run)

    def _accept_run(self, run: LiveRun) -> Response:
        manifest = run.folder.manifest()
        url = f"/api/eval/runs/{run.id}"
        said = RunAccepted(
            id=run.id,
            run_id=run.id,
            suite=run.prepared.name,
            state=run.state,
            cases=len(manifest.cases),
            trials=sum(manifest.trials.values()),
            url=url,
            events=f"{url}/events",
        )
        return json_response(said, 202, {"location": url})

    async def _end_of(self, id: str) -> AsyncIterator[bytes]:
        said = await asyncio.to_thread(self.store.run, id, None)
        data = {"runId": id, "state": said.state, "error": "", "exitCode": None}

        async def once() -> AsyncIterator[bytes]:
            yield Event(1, "finished", data).to_bytes()

        return once()

    def _indexed_name(self, name: str) -> str:
        """What the runs of a suite are indexed under, whatever it is registered as."""
        try:
            return suite_name(str(self.suite_directory.path(name)))
        except RefusedError:
            return name

    def _now(self) -> str:
        return timestamp(self._clock())


def _retrieval_figures(queries: Sequence[RagQuery], k: int | None) -> RetrievalFigures:
    found = [Retrieval(each.retrieved, set(each.relevant)) for each in queries]
    return retrieval_figures(found, k=k)


def _single_query_figures(order: RagOrder) -> RagResponse:
    """What one query comes to, by the rank of what was expected."""
    said = RagResponse(
        queries=1,
        query=order.query,
        retrieved_count=len(order.retrieved_docs),
        hit_at_1=None,
        recall=None,
        mrr=0,
    )
    if order.expected_doc:
        found = Retrieval(order.retrieved_docs, {order.expected_doc})
        figures = retrieval_figures([found], k=order.k)
        said.hit_at_1, said.recall, said.mrr = figures.hit_at_1 == 1, figures.recall, figures.mrr
    return said
