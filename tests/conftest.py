"""What all tests share: hypothesis gives the same examples on every machine, however busy it is."""

import atexit
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

if "UNDERSTUDY_HOME" not in os.environ:  # servers of tests keep their certificates nowhere else
    os.environ["UNDERSTUDY_HOME"] = tempfile.mkdtemp(prefix="understudy-")
    atexit.register(shutil.rmtree, os.environ["UNDERSTUDY_HOME"], ignore_errors=True)
