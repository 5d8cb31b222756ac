"""What in answers of Cloud Logging is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("logging_instance", "instance", ("instanceid",), check="opaque", about="ids of machines"),
    Rule("logging_principal", "username", ("principalsubject", "thirdpartyprincipal"),
         about="who did it"),
)  # fmt: skip
