"""Run directories, and the files beside them; the index of them is in `harness.storage.index`."""

from harness.storage.decision_file import DecisionWriter
from harness.storage.files import refuse_later, write_whole
from harness.storage.index_access import open_index, require_store
from harness.storage.ledger import (
    Baseline,
    Baselines,
    RegisteredSuite,
    RegisteredSuites,
    promote,
    read_calibrations,
    save_calibration,
)
from harness.storage.mirror import mirror_of, open_mirror, place_of
from harness.storage.object_store import ObjectStore, StoreDownError, is_store_url
from harness.storage.pruning import remove_leftovers, remove_run, stored_runs
from harness.storage.retention import Prospect, Retention, StoredRun, choose_runs
from harness.storage.run_folder import MODELS, RunFolder
from harness.storage.summaries import CaseSummary, ReadRun, RunSummary, read_run, stamp, suite_name

__all__ = [
    "MODELS",
    "Baseline",
    "Baselines",
    "CaseSummary",
    "DecisionWriter",
    "ObjectStore",
    "Prospect",
    "ReadRun",
    "RegisteredSuite",
    "RegisteredSuites",
    "Retention",
    "RunFolder",
    "RunSummary",
    "StoreDownError",
    "StoredRun",
    "choose_runs",
    "is_store_url",
    "mirror_of",
    "open_index",
    "open_mirror",
    "place_of",
    "promote",
    "read_calibrations",
    "read_run",
    "refuse_later",
    "remove_leftovers",
    "remove_run",
    "require_store",
    "save_calibration",
    "stamp",
    "stored_runs",
    "suite_name",
    "write_whole",
]
