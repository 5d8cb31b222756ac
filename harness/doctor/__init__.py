"""Whether a suite is worth running: vacuous, leading and unpassable cases, control trials."""

from harness.doctor.bench import Bench, Seen
from harness.doctor.diagnosis import (
    RULES,
    ControlFigures,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    FixtureCoverage,
)
from harness.doctor.examination import Patient, examine
from harness.doctor.promotion import failing, promoted
from harness.doctor.report import as_text

__all__ = [
    "RULES",
    "Bench",
    "ControlFigures",
    "Coverage",
    "Diagnosis",
    "DriverFigures",
    "Finding",
    "FixtureCoverage",
    "Patient",
    "Seen",
    "as_text",
    "examine",
    "failing",
    "promoted",
]
