import logging
import subprocess
import sys

from mockserver.http.server import SafeFormatter, log_safely

PROGRAM = """
import logging
from mockserver.http.server import log_safely
log_safely()
try:
    raise KeyError("Bearer ya29.abcdefghijklmnop of ann@corp.io")
except KeyError:
    logging.getLogger("any").exception("GET /v1?access_token=hunter2hunter2 failed")
"""


def test_a_server_never_logs_a_secret_that_an_exception_quotes() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stderr.startswith("ERROR: GET /v1?access_token=redacted-")
    assert "Traceback" in done.stderr
    for secret in ("hunter2", "abcdefghijklmnop", "ann@", "corp.io"):
        assert secret not in done.stderr


def test_what_holds_no_secret_is_told_as_it_is() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 1, "%s ends early", ("a.yaml",), None)
    assert SafeFormatter().format(record) == "WARNING: a.yaml ends early"


def test_a_process_with_a_handler_of_its_own_is_left_alone() -> None:
    before = list(logging.getLogger().handlers)
    log_safely()
    assert logging.getLogger().handlers == before
