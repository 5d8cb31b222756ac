"""The pages: what each may be asked for in its address, and where its values come from."""

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import HarnessError, plain_reason
from harness.model import ForkNode, RunResult
from harness.reports.coverage import coverage_view
from harness.reports.forks import fork_lines
from harness.reports.html import MatrixView, matrix_view, trial_view
from harness.reports.html.page import banner, findings, tiles
from harness.runner import compare_outcomes, fork_trees, outcomes_of
from harness.server.console.access import ConsoleAccess
from harness.server.console.charts import trend_of
from harness.server.console.live_sessions import LiveSessions
from harness.server.console.rendering import error_page, page_response, static_response
from harness.server.console.stored_runs import StoredRuns
from harness.server.console.views import (
    VERDICTS,
    JudgeUse,
    align_steps,
    calibrated,
    call_steps,
    case_rows,
    check_pairs,
    compared_cases,
    coverage,
    judge_use,
    neighbours,
    page_of,
    request_steps,
    suite_row,
)
from harness.server.handlers import Handlers
from harness.server.messages import RefusedError, json_response, parse_body, read_body
from harness.server.order_preparation import run_folder
from harness.server.settings import ORDER_BYTES, Settings
from harness.statistics import Terms
from harness.storage import (
    CaseSummary,
    RunFolder,
    RunSummary,
    read_calibrations,
    stamp,
    suite_name,
)

_ROWS = 100
_RUNS = 50
_NEWEST = 8
_TREND = 30
_JUDGED_RUNS = 20
_WORSE = {"significant", "broken", "changed_outcome", "suspect"}

Values = dict[str, Any]


class _PageQuery(BaseModel):
    """What the address of a page may say; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


_Number = Annotated[int, Field(ge=1, le=1_000_000)]


class _NoQuery(_PageQuery):
    pass


class _SuiteQuery(_PageQuery):
    q: str = ""
    category: str = ""
    page: _Number = 1


class _RunsQuery(_PageQuery):
    suite: str = ""
    agent: str = ""
    before: str = ""


class _ComparisonQuery(_PageQuery):
    baseline: str = ""
    candidate: str = ""
    q: str = ""
    flag: Literal["", "worse", "improved", "same"] = ""
    page: _Number = 1


class _TrialsQuery(_PageQuery):
    case: str
    left: str
    left_trial: _Number = 1
    right: str
    right_trial: _Number = 1


PageQuery = TypeVar("PageQuery", bound=_PageQuery)


class Console:
    """Answers each page.

    Args:
        settings: What the server is started with.
        handlers: What the routes of the REST API are answered by.
    """

    def __init__(self, settings: Settings, handlers: Handlers) -> None:
        self._settings = settings
        self._store = handlers.store
        self._suites = handlers.suite_directory
        self._live = handlers.live
        self._runs = StoredRuns(settings)
        self.sessions = LiveSessions(settings)
        self._judge_uses: dict[str, tuple[str, JudgeUse | None]] = {}

    def warm_up(self) -> None:
        """Read what the first pages would wait for: the suites, the index, the newest run."""
        with suppress(HarnessError):  # whoever asks for it is told
            self._suites.list_suites()
            for newest in self._store.summaries(limit=1):
                self._runs.get(newest.run)

    def overview(self, _path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """The newest runs, the open sessions, the suites, and what to do where there is nothing."""
        suites = self._suites.list_suites()
        live = self._live.going_on()
        return {
            "live": live,
            "runs": [each for each in self._store.summaries(limit=_NEWEST)
                     if each.run not in {one.id for one in live}],
            "found": self.sessions.find(_NEWEST),
            "suites": suites[:_NEWEST],
            "suite_count": len(suites),
            "folder": self._settings.suites,
            "first_run": self._first_run(),
            "start_server": self.sessions.start_command(suites[0].path if suites else ""),
        }  # fmt: skip

    def _first_run(self) -> str:
        """The command that makes the first run."""
        suites = self._suites.list_suites()
        kept = str(self._settings.runs)
        order = ["run", suites[0].path, "--agent", "oracle"] if suites else ["demo"]
        return shlex.join(["understudy", *order, *(["--run-dir", kept] if kept != "runs" else [])])

    def suites(self, _path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """Every suite with its last runs, and the runs that go on."""
        rows = [
            suite_row(each, self._store.trend(suite_name(each.path), limit=_TREND))
            for each in self._suites.list_suites()
        ]
        return {"rows": rows, "live": self._live.going_on(), "folder": self._settings.suites}

    def suite(self, path: Mapping[str, str], asked: _SuiteQuery) -> Values:
        """What a suite covers, how its runs went, and how to start one."""
        name = path["name"]
        suite = self._suites.suite(name)
        indexed = suite_name(str(self._suites.path(name)))
        runs = self._store.trend(indexed, limit=_TREND)
        latest = self._latest_cases(runs)
        cases = case_rows(suite, latest, search=asked.q, category=asked.category)
        return {
            "name": name,
            "suite": suite,
            "indexed": indexed,
            "runs": runs,
            "latest": runs[-1] if runs else None,
            "baseline": self._store.baselines.of(indexed),
            "trend": trend_of(runs, width=720, height=180),
            "coverage": coverage(suite, latest),
            "categories": sorted({case.category or "(none)" for case in suite.cases}),
            "cases": page_of(cases, asked.page, _ROWS),
            "asked": asked,
            "default_agent": self._settings.agent,
            "allow_subprocess": self._settings.allow_subprocess,
        }

    def _latest_cases(self, runs: tuple[RunSummary, ...]) -> Mapping[str, CaseSummary]:
        return {each.case: each for each in self._store.cases(runs[-1].run)} if runs else {}

    def runs(self, _path: Mapping[str, str], asked: _RunsQuery) -> Values:
        """The runs, the newest first."""
        found = self._store.summaries(**asked.model_dump(), limit=_RUNS + 1)
        more = {**asked.model_dump(exclude_defaults=True), "before": found[_RUNS - 1].run} \
            if len(found) > _RUNS else {}  # fmt: skip
        return {
            "runs": found[:_RUNS],
            "more": urlencode(more),
            "asked": asked,
            "suites": self._store.suite_names(),
            "live": {each.id: each for each in self._live.going_on()},
            "first_run": "" if found or asked != _RunsQuery() else self._first_run(),
        }

    def run(self, path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """A run: its progress while it goes on, then its matrix of cases and trials."""
        id = path["id"]
        live = self._live.get(id)
        result = self._runs.get(id)
        manifest = result.manifest
        indexed = suite_name(manifest.suite)
        values: Values = {
            "id": id,
            "run": result,
            "suite": indexed,
            "live": live,
            "trials": sum(manifest.trials.values()),
            "baseline": self._store.baselines.of(indexed),
            "is_baseline": id in {each.run for each in self._store.baselines.all()},
            "others": [each for each in self._store.summaries(suite=indexed, limit=_RUNS)
                       if each.run != id and each.valid],
        }  # fmt: skip
        if result.decisions:
            values |= {
                "banner": banner(result),
                "tiles": tiles(result),
                "findings": findings(result),
                "coverage": coverage_view(result),
                "matrix": _matrix(result),
                "forks": fork_lines(fork_trees(RunFolder(Path(result.folder)))),
                "here": manifest.run,
                "link": _fork_link,
                "has_report": (Path(result.folder) / "report.json").is_file(),
            }
        return values

    def trial(self, path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """A trial: what happened in it, and what was decided."""
        id, case = path["id"], path["case"]
        result, asked, decision, record = self._runs.trial(id, case, _number(path["number"]))
        trials = next(each.trials for each in result.decisions if each.case == case)
        before, after = neighbours(result.decisions, case)
        passing = self._runs.passing(id, result, case)
        return {
            "id": id,
            "suite": suite_name(result.manifest.suite),
            "run": result,
            "case": asked,
            "decision": decision,
            "trials": trials,
            "before": before,
            "after": after,
            "view": trial_view(asked, decision, record, passing),
            "others": self._other_runs(id, suite_name(result.manifest.suite), case),
        }

    def _other_runs(self, id: str, suite: str, case: str) -> list[tuple[str, CaseSummary]]:
        """How the case did in other runs of the suite, the newest first."""
        return [each for each in self._store.case_history(suite, case) if each[0] != id]

    def comparison(self, _path: Mapping[str, str], asked: _ComparisonQuery) -> Values:
        """Two runs beside each other."""
        runs = self._store.summaries(limit=200)
        values: Values = {"asked": asked, "runs": [each for each in runs if each.valid]}
        if not asked.baseline or not asked.candidate:
            return values
        before, after = self._runs.get(asked.baseline), self._runs.get(asked.candidate)
        for side in (before, after):
            if not any(each.valid for each in side.decisions):
                raise RefusedError(409, f"run {side.manifest.run!r} has no valid trial to compare")
        found = compare_outcomes(outcomes_of(before), outcomes_of(after), Terms())
        rows = compared_cases(found, before, after)
        words = asked.q.casefold().split()
        flags = {"worse": _WORSE, "improved": {"improved"}, "same": {"same"}}.get(asked.flag)
        shown = [
            row
            for row in rows
            if (flags is None or row.figures.flag in flags)
            and all(word in f"{row.figures.case}\n{row.title}\n{row.reason}".casefold()
                    for word in words)
        ]  # fmt: skip
        return values | {
            "before": before,
            "after": after,
            "comparison": found,
            "verdict": VERDICTS[found.verdict],
            "counts": {
                "worse": sum(row.figures.flag in _WORSE for row in rows),
                "improved": sum(row.figures.flag == "improved" for row in rows),
                "same": sum(row.figures.flag == "same" for row in rows),
            },
            "rows": page_of(shown, asked.page, _ROWS),
        }

    def compared_trials(self, _path: Mapping[str, str], asked: _TrialsQuery) -> Values:
        """Two trials of a case beside each other."""
        ours = self._runs.trial(asked.left, asked.case, asked.left_trial)
        theirs = self._runs.trial(asked.right, asked.case, asked.right_trial)
        records = ours[3], theirs[3]
        return {
            "asked": asked,
            "case": theirs[1],
            "sides": ((ours[0], ours[2], records[0]), (theirs[0], theirs[2], records[1])),
            "calls": align_steps(*map(call_steps, records)),
            "requests": align_steps(*map(request_steps, records)),
            "checks": check_pairs(ours[2], theirs[2]),
            "changed": ours[0].manifest.cases[asked.case] != theirs[0].manifest.cases[asked.case],
        }

    def baselines(self, _path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """The baselines of all suites, the newest first."""
        found = self._store.all_baselines()[::-1]
        summaries = {each.id: self._store.summary(each.id) for each in found}
        return {"baselines": found, "summaries": summaries}

    def judges(self, _path: Mapping[str, str], _asked: _NoQuery) -> Values:
        """How far judges agree with people, and what the last runs asked of them."""
        runs = self._store.summaries(limit=_JUDGED_RUNS)
        uses = [use for each in runs if (use := self._judge_use(each)) is not None]
        return {
            "judges": calibrated(read_calibrations(self._settings.runs)),
            "uses": uses,
            "looked_at": len(runs),
        }

    def _judge_use(self, run: RunSummary) -> JudgeUse | None:
        folder = RunFolder(run_folder(self._settings, run.run))
        if not folder.manifest().options.get("judge"):
            return None
        now = stamp(folder.path)
        known = self._judge_uses.get(run.run)
        if known is None or known[0] != now:
            known = self._judge_uses[run.run] = now, judge_use(run, self._runs.get(run.run))
        return known[1]


def _matrix(result: RunResult) -> MatrixView:
    figures = result.statistics.cases if result.statistics else ()
    against = result.comparison.cases if result.comparison else ()
    return matrix_view(
        result.cases,
        result.decisions,
        trial_link=f"/runs/{quote(result.manifest.run, safe='')}/trials/{{case}}/{{number}}",
        milliseconds={each.case: each.total.p50 for each in figures},
        notes={each.case: each.flag.replace("_", " ") for each in against if each.flag != "same"},
    )


def _fork_link(node: ForkNode) -> str:
    run = f"/runs/{quote(node.run, safe='')}"
    return f"{run}/trials/{quote(node.case, safe='')}/{node.number or 1}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 9):
        raise RefusedError(404, f"no trial {text!r}")
    return int(text)


@dataclass(frozen=True)
class PageRoute:
    """One page.

    Attributes:
        path: With `{name}` for what it names.
        section: Under which entry of the navigation it stands.
        template: The template that shows it.
        query: What its address may say.
        values: What the template is given.
    """

    path: str
    section: str
    template: str
    query: type[_PageQuery]
    values: Callable[[Console], Callable[[Mapping[str, str], Any], Values]]


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/", "overview", "overview.html", _NoQuery, lambda c: c.overview),
    PageRoute("/suites", "suites", "suites.html", _NoQuery, lambda c: c.suites),
    PageRoute("/suites/{name}", "suites", "suite.html", _SuiteQuery, lambda c: c.suite),
    PageRoute("/runs", "runs", "runs.html", _RunsQuery, lambda c: c.runs),
    PageRoute("/runs/{id}", "runs", "run.html", _NoQuery, lambda c: c.run),
    PageRoute(
        "/runs/{id}/trials/{case}/{number}", "runs", "trial_page.html", _NoQuery, lambda c: c.trial
    ),
    PageRoute(
        "/compare", "compare", "comparison_page.html", _ComparisonQuery, lambda c: c.comparison
    ),
    PageRoute(
        "/compare/trials", "compare", "trials.html", _TrialsQuery, lambda c: c.compared_trials
    ),
    PageRoute("/baselines", "baselines", "baselines.html", _NoQuery, lambda c: c.baselines),
    PageRoute("/judges", "judges", "judges.html", _NoQuery, lambda c: c.judges),
)


def console_routes(console: Console, settings: Settings) -> list[Route]:
    """The routes of the console: its pages, its files, signing in and out."""
    access = ConsoleAccess(settings.token, settings.port)

    async def sign_in(request: Request) -> Response:
        body = parse_body(await read_body(request, ORDER_BYTES))
        token = body.get("token") if isinstance(body, dict) else None
        if not isinstance(token, str) or not access.is_token(token):
            raise RefusedError(403, "this is not the server's token", hint=_HINT)
        answer = json_response({"signedIn": True})
        access.sign_in(answer, secure=request.headers.get("origin", "").startswith("https://"))
        return answer

    async def sign_out(_request: Request) -> Response:
        answer = json_response({"signedIn": False})
        access.sign_out(answer)
        return answer

    async def static(request: Request) -> Response:
        return static_response(request)

    return [
        *(Route(each.path, _endpoint(each, console, access), methods=["GET"]) for each in PAGES),
        *console.sessions.routes(),
        Route("/static/{name}", static, methods=["GET"]),
        Route("/sign-in", sign_in, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


_HINT = "understudy console writes it when it starts, or it is that of --token or HARNESS_TOKEN"


def _endpoint(
    page: PageRoute, console: Console, access: ConsoleAccess
) -> Callable[[Request], Awaitable[Response]]:
    values = page.values(console)

    def render(request: Request) -> Response:
        asked = _read_query(request, page.query)
        found = values(request.path_params, asked)
        frame = {"section": page.section, "needs_token": access.needs_token}
        return page_response(page.template, {**frame, **found})

    async def answer(request: Request) -> Response:
        try:
            return await asyncio.to_thread(render, request)
        except HarnessError as error:
            return error_page(error)

    return answer


def _read_query(request: Request, model: type[PageQuery]) -> PageQuery:
    try:
        return model.model_validate(dict(request.query_params))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, wrong["loc"]))
        raise RefusedError(
            422, f"this page cannot be asked for that: {where}: {plain_reason(wrong['msg'])}"
        ) from None
