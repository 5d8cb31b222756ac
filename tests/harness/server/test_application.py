from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.server import Settings
from harness.server.application import application
from tests.harness.server.conftest import now


def test_a_database_that_makes_no_sense_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="unknown kind"):
        application(Settings(runs=tmp_path, db="mysql://h/d"), now)
