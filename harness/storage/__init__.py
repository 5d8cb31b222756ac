"""Run directories, and the files beside them; the index of them is in `harness.storage.index`."""

from harness.storage.baselines import Baseline, Baselines, suite_name
from harness.storage.calibrations import keep_calibration, read_calibrations
from harness.storage.files import write_whole
from harness.storage.run_folder import RunFolder, StoredRecords
from harness.storage.suites import RegisteredSuite, RegisteredSuites

__all__ = [
    "Baseline",
    "Baselines",
    "RegisteredSuite",
    "RegisteredSuites",
    "RunFolder",
    "StoredRecords",
    "keep_calibration",
    "read_calibrations",
    "suite_name",
    "write_whole",
]
