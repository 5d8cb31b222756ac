"""What all tests share: hypothesis gives the same examples on every machine, however busy it is."""

import atexit
import os
import shutil
import tempfile

import httpx
from hypothesis import HealthCheck, settings

from tests.patience import PATIENCE_S

settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

for phase in ("connect", "read", "write", "pool"):  # five seconds pass quickly on a busy machine
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, phase, PATIENCE_S)

if "UNDERSTUDY_HOME" not in os.environ:  # servers of tests keep their certificates nowhere else
    os.environ["UNDERSTUDY_HOME"] = tempfile.mkdtemp(prefix="understudy-")
    atexit.register(shutil.rmtree, os.environ["UNDERSTUDY_HOME"], ignore_errors=True)
