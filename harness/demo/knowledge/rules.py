"""What rules against data loss listen to, look for and do, in people's words."""

from collections.abc import Mapping

DLP_TRIGGERS: Mapping[str, tuple[str, ...]] = {
    "upload": ("upload", "uploads", "uploading", "uploaded"),
    "download": ("download", "downloads", "downloading"),
    "paste": ("paste", "pasting", "pasted"),
    "print": ("print", "prints", "printing", "printed", "paper"),
}
DLP_DETECTORS: Mapping[str, tuple[str, ...]] = {
    "CREDIT_CARD_NUMBER": ("card number", "card numbers", "credit card", "credit cards"),
    "IBAN_CODE": ("iban", "bank account", "bank accounts"),
    "SOURCE_CODE": ("source code",),
    "PASSPORT": ("passport", "passports"),
}
DLP_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "BLOCK": ("block", "blocks", "stop"),
    "WARN": ("warn", "warns"),
    "AUDIT": ("audit", "audits", "log only"),
}
