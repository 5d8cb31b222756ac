"""Where the process has little memory, a request is refused; nothing ends the process."""

import subprocess
import sys

from tests.patience import PATIENCE_S

LIMITED = """
import resource
from mockserver.googleapi import ApiError
from mockserver.sources.bodies import parse_json

BODIES = {
    "arrays": b"[" + b"[]," * 8_000_000 + b"[]]",
    "text": b'{"a":"' + "\\u00e9".encode() * 12_000_000 + b'"}',
}
for name, content in BODIES.items():
    sizes = open("/proc/self/status", encoding="ascii").read().split("VmSize:")[1].split()
    limit = int(sizes[0]) * 1024 + 40_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        parse_json(content, "one_platform")
    except ApiError as error:
        print(name, error.status)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_body_that_the_memory_has_no_room_for_is_refused() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (ended.returncode, ended.stdout.splitlines()) == (0, ["arrays 400", "text 507"]), (
        ended.stderr
    )
