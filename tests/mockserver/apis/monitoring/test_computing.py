import subprocess
import sys

from mockserver.apis.monitoring.methods import HANDLERS, RESOURCE_HANDLERS
from mockserver.apis.monitoring.series_methods import COMPUTING


def test_every_method_that_is_not_plain_is_computed() -> None:
    assert set(COMPUTING) == set(HANDLERS) - set(RESOURCE_HANDLERS)


def test_a_server_starts_without_it() -> None:
    code = "import sys, mockserver.apis; print(*(name for name in sys.modules if 'promql' in name))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == ""
