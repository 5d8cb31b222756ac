"""Run directories, and the files beside them; the index of them is in `harness.storage.index`."""

from harness.storage.baselines import Baseline, Baselines, suite_name
from harness.storage.calibrations import keep_calibration, read_calibrations
from harness.storage.files import write_whole
from harness.storage.opening import open_index
from harness.storage.promotion import promote
from harness.storage.reading import ReadRun, read_run, stamp
from harness.storage.run_folder import RunFolder, StoredRecords
from harness.storage.suites import RegisteredSuite, RegisteredSuites
from harness.storage.summaries import CaseSummary, RunSummary

__all__ = [
    "Baseline",
    "Baselines",
    "CaseSummary",
    "ReadRun",
    "RegisteredSuite",
    "RegisteredSuites",
    "RunFolder",
    "RunSummary",
    "StoredRecords",
    "keep_calibration",
    "open_index",
    "promote",
    "read_calibrations",
    "read_run",
    "stamp",
    "suite_name",
    "write_whole",
]
