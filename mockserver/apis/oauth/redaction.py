"""What in answers of the OAuth endpoints is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("oauth_client", "client",
         pattern=r"\b(\d{6,}-[0-9a-z]{16,})\.apps\.googleusercontent\.com",
         about="ids of OAuth clients: they hold a project's number"),
)  # fmt: skip
