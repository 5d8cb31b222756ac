"""What a trial needs: the small suite, a real server, a clock that stands still."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harness.agents import AgentDriver
from harness.cases import case_hash, load_suite
from harness.environment import Environment, attach_environment
from harness.model import Case
from harness.runner import RunContext, RunSettings


@pytest.fixture
def cases(office: Path) -> tuple[Case, ...]:
    return load_suite(office).cases


@pytest_asyncio.fixture
async def environment(mock_url: str) -> AsyncIterator[Environment]:
    environment = await attach_environment(mock_url)
    yield environment
    await environment.close()


@pytest.fixture
def context(
    office: Path, cases: tuple[Case, ...], environment: Environment, request: pytest.FixtureRequest
) -> Callable[..., RunContext]:
    def make(driver: AgentDriver, **settings: Any) -> RunContext:
        return RunContext(
            run=request.node.name[:30],
            suite=office,
            hashes={case.id: case_hash(case) for case in cases},
            settings=RunSettings(**settings),
            driver=driver,
            environment=environment,
            clock=lambda: datetime(2026, 11, 20, 10, 15, tzinfo=UTC),
        )

    return make
