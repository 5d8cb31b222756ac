"""A mock server that has nothing but a recording, in a process of its own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mockserver.process import ServerProcess
from tests.warm import programs


@contextmanager
def replay_server(cassette: Path, log: Path) -> Iterator[str]:
    """Serve a cassette; the process ends with the block, however that ends.

    Args:
        cassette: The recording.
        log: Where the server's messages go.

    Yields:
        The URL.
    """
    command = [str(programs() / "mockserver"), "serve", "--port=0", f"--cassette={cassette}"]
    with asyncio.Runner() as runner:
        process = runner.run(ServerProcess.spawn(command, log))
        try:
            yield runner.run(process.ready_url())
        finally:
            runner.run(process.stop())
