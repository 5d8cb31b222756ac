import asyncio
import os
import signal
from datetime import UTC

import pytest

from harness.cli.running import stop_on_signals, time_of_day
from tests.patience import PATIENCE_S


async def test_the_first_signal_stops_the_run_and_the_second_the_process(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stop = stop_on_signals()
    os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(PATIENCE_S):
        await stop.wait()
    assert "finished ones are kept" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)


def test_the_clock_of_the_command_tells_utc() -> None:
    assert time_of_day().tzinfo is UTC
