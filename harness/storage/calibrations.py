"""What is known of judges, beside the runs: `judges.json`, one calibration a judge."""

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Calibration
from harness.storage.files import read_list, write_whole

NAME = "judges.json"
_ALL = TypeAdapter(tuple[Calibration, ...])


def read_calibrations(runs: Path) -> tuple[Calibration, ...]:
    """All that are kept beside these runs.

    Raises:
        HarnessError: The file is broken.
    """
    path = runs / NAME
    if not path.is_file():
        return ()
    try:
        return _ALL.validate_json(read_list(path))
    except (OSError, ValidationError) as error:
        first = reason_of(error).splitlines()[0]
        raise HarnessError(f"{path}: cannot be read as calibrations: {first}") from None


def keep_calibration(runs: Path, found: Calibration) -> Path:
    """Keep one, in the place of an earlier one of the same judge; the file it is in.

    Raises:
        HarnessError: The file is broken.
        InfrastructureError: It cannot be written.
    """
    others = [
        each
        for each in read_calibrations(runs)
        if (each.model, each.prompt) != (found.model, found.prompt)
    ]
    kept = sorted([*others, found], key=lambda each: (each.model, each.prompt))
    try:
        write_whole(runs / NAME, _ALL.dump_json(tuple(kept), indent=2))
    except OSError as error:
        raise InfrastructureError(f"cannot write {runs / NAME}: {reason_of(error)}") from None
    return runs / NAME
