import os
import signal
import threading
from typing import Any

import pytest

from mockserver.asgi.server import HttpServer


async def silent(_scope: Any, _receive: Any, _send: Any) -> None:
    raise AssertionError("nobody asks")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_is_not_raised_again(number: signal.Signals) -> None:
    server, before = HttpServer(silent), signal.getsignal(number)
    with server.capture_signals():
        os.kill(os.getpid(), number)
    assert server.should_exit
    assert server._stopped.is_set(), "or a watch would end this whole process a little later"
    assert signal.getsignal(number) is before
    assert threading.current_thread() is threading.main_thread()


def test_it_says_nothing_of_itself() -> None:
    config = HttpServer(silent, log_level="critical", date_header=False).config
    assert (config.server_header, config.date_header, config.access_log) == (False, False, False)
