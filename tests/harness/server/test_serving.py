import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from harness.errors import InfrastructureError
from harness.server.serving import bind
from tests.patience import PATIENCE_S


def test_the_command_serves_until_it_is_told_to_stop(suites: Path, tmp_path: Path) -> None:
    """CTX-29: through the real command."""
    command = [sys.executable, "-m", "harness", "serve", "--port", "0", "--suites", str(suites)]
    with subprocess.Popen(
        [*command, "--run-dir", str(tmp_path / "runs")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "EVAL_DB": ""},
    ) as server:
        assert server.stdout is not None
        found = re.fullmatch(r"harness ready at (\S+)\n", server.stdout.readline())
        assert found is not None
        listed = httpx.get(f"{found[1]}/api/eval/suites", trust_env=False).json()
        assert [suite["name"] for suite in listed] == ["office"]
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=PATIENCE_S) in {0, -signal.SIGINT, 130}


def test_a_port_that_is_taken_is_told() -> None:
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(InfrastructureError, match=rf"cannot listen on 127.0.0.1:{port}.*--port"):
        bind("127.0.0.1", port)
    listener.close()
