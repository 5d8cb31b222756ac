"""Run directories, and the files beside them; the index of them is in `harness.storage.index`."""

from harness.storage.baselines import Baseline, Baselines, promote
from harness.storage.files import write_whole
from harness.storage.index_access import open_index, require_store
from harness.storage.ledger import (
    RegisteredSuite,
    RegisteredSuites,
    read_calibrations,
    save_calibration,
)
from harness.storage.run_folder import MODELS, RunFolder, StoredRecords
from harness.storage.summaries import CaseSummary, ReadRun, RunSummary, read_run, stamp, suite_name

__all__ = [
    "MODELS",
    "Baseline",
    "Baselines",
    "CaseSummary",
    "ReadRun",
    "RegisteredSuite",
    "RegisteredSuites",
    "RunFolder",
    "RunSummary",
    "StoredRecords",
    "open_index",
    "promote",
    "read_calibrations",
    "read_run",
    "require_store",
    "save_calibration",
    "stamp",
    "suite_name",
    "write_whole",
]
