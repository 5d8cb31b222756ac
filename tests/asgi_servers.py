"""Applications of others, served in a thread of the tests' own process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests.patience import wait_until


@contextmanager
def served(application: Any, port: int, lifespan: Any = "off") -> Iterator[None]:
    """Serve an application at a port of this machine, until the block ends."""
    server = uvicorn.Server(
        uvicorn.Config(application, port=port, log_level="critical", lifespan=lifespan)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started, "the server")
        yield
    finally:
        server.should_exit = True
        thread.join()
