"""Reads the files of a served suite again when they change; open sessions stay as they are."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import InvalidFilesError, MockServerError
from mockserver.model import FEW, SessionSpec
from mockserver.sessions.scheduling import WORKER
from mockserver.sessions.session import DEFAULT_ID
from mockserver.storage import APIS, MODELS, Suite

if TYPE_CHECKING:
    import uvicorn

    from mockserver.declared.catalog import DeclaredApis
    from mockserver.http.application import Application
    from mockserver.models.catalog import Models

_DECLARATIONS = frozenset({APIS, MODELS})
_SUFFIXES = frozenset({".json", ".yaml", ".yml"})


class SuiteWatch:
    """Follows the folder of a suite from the start of a server to its end.

    Sessions that are opened later see what the files hold by then, and so does the default session
    after its next reset. While a file is broken they get what it held before. Declarations of APIs
    are served at once in all sessions, which keep their rows.

    Args:
        folder: The suite.
        tell: Is handed each message, which may have several lines.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder.resolve()
        self._tell = tell
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_declared_late = False

    async def start(self, application: "Application", _server: "uvicorn.Server") -> None:
        """Begin to watch."""
        self._task = asyncio.create_task(self._watch(application))

    async def stop(self) -> None:
        """Watch no more."""
        self._ended.set()
        if self._task is not None:
            await self._task

    async def _watch(self, application: "Application") -> None:
        from watchfiles import awatch

        async for changes in awatch(self._folder, stop_event=self._ended):
            await self.reload(application, (Path(path) for _, path in changes))

    async def reload(self, application: "Application", paths: Iterable[Path]) -> None:
        """Read again what some changed files are part of, and tell what came of it."""
        changed = sorted(
            {
                path.relative_to(self._folder)
                for path in paths
                if path.suffix in _SUFFIXES and path.is_relative_to(self._folder)
            }
        )
        if not changed:
            return
        found: list[str] = []
        self._is_declared_late |= any(_DECLARATIONS & {*path.parts} for path in changed)
        if self._is_declared_late:
            declared, found = await WORKER.run(partial(self._declared, application, changed))
            if declared is not None:
                application.declare(*declared)
                self._is_declared_late = False
        if not found:
            found = await WORKER.run(partial(self._problems, application, changed))
        names = ", ".join(map(str, changed[:FEW])) + (", ..." if len(changed) > FEW else "")
        if not found:
            self._tell(f"read {names} again")
            return
        more = [f"and {len(found) - FEW} more"] if len(found) > FEW else []
        self._tell("\n".join((*found[:FEW], *more, f"{names}: what was served before goes on")))

    def _declared(
        self, application: "Application", changed: list[Path]
    ) -> "tuple[tuple[DeclaredApis, Models] | None, list[str]]":
        """The declared APIs and models of the suite; or None, and what is wrong, a line each."""
        try:
            return application.read_declared(self._specs(application, changed)), []
        except InvalidFilesError as error:
            return None, list(dict.fromkeys(map(str, error.problems)))
        except MockServerError as error:
            return None, [str(error)]

    def _problems(self, application: "Application", changed: list[Path]) -> list[str]:
        """Make ready what sessions will start from; what is wrong with it, a line each."""
        found: dict[str, None] = {}
        for spec in self._specs(application, changed):
            try:
                application.prepare_again(spec)
            except InvalidFilesError as error:
                found.update(dict.fromkeys(map(str, error.problems)))
            except MockServerError as error:
                found[str(error)] = None
        return list(found)

    def _specs(self, application: "Application", changed: list[Path]) -> list[SessionSpec]:
        """What the default session and the changed overrides are opened with."""
        default = application.sessions.find(DEFAULT_ID)
        specs = [SessionSpec() if default is None else default.spec]
        try:
            suite = Suite(self._folder)
        except MockServerError:  # the folder is being replaced: the default session's error says it
            return specs
        fixtures = suite.fixtures.relative_to(self._folder)
        inside = (path.relative_to(fixtures) for path in changed if path.is_relative_to(fixtures))
        names = dict.fromkeys(path.parts[0] for path in inside)
        return [*specs, *(SessionSpec(case=name) for name in names if suite.has_override(name))]
