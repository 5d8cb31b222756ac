"""What in answers of the Service Account Credentials API is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("signed", "signature", ("signedblob", "keyid"), credential=True, about="what was signed"),
)  # fmt: skip
