"""Whether a suite is worth running: vacuous, leading and unpassable cases, control trials."""

from harness.doctor.bench import Bench
from harness.doctor.diagnosis import (
    RULES,
    ControlFigures,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    diagnosis_text,
)
from harness.doctor.examination import ExaminedSuite, examine
from harness.doctor.promotion import promoted_trial, regression_case

__all__ = [
    "RULES",
    "Bench",
    "ControlFigures",
    "Coverage",
    "Diagnosis",
    "DriverFigures",
    "ExaminedSuite",
    "Finding",
    "diagnosis_text",
    "examine",
    "promoted_trial",
    "regression_case",
]
