"""Steps through the tokens of a query."""

from mockserver.apis.monitoring.promql.errors import PromqlError
from mockserver.apis.monitoring.promql.lexer import Token, error_at, tokens, unquoted

_KINDS = {"end": "end of input", "word": "identifier", "text": "string", "sign": ""}


class Cursor:
    """The place in a query, a token ahead."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._tokens = tokens(query)
        self.depth = self.operators = 0
        self.token = next(self._tokens)

    def unexpected(self, where: str = "") -> PromqlError:
        """The error for the token that is next."""
        shown = _KINDS.get(self.token.kind, self.token.kind)
        if self.token.kind != "end":
            shown = f'{shown} "{self.token.text}"'.lstrip()
        return self.error(f"unexpected {shown}{where}")

    def error(self, why: str, token: Token | None = None) -> PromqlError:
        """An error at a token, or at the next one."""
        return error_at(self._query, (token or self.token).place, why)

    def step(self) -> Token:
        """Step over the next token; that token."""
        before = self.token
        self.token = next(self._tokens)
        return before

    def is_next(self, *texts: str) -> bool:
        """Whether the next token is one of these signs or words."""
        return self.token.kind in {"sign", "word"} and self.token.text.lower() in texts

    def take(self, *texts: str) -> bool:
        """Step over the next token when it is one of these; whether it was."""
        found = self.is_next(*texts)
        if found:
            self.step()
        return found

    def expect(self, text: str, where: str = "") -> None:
        """Step over a sign that must come next.

        Raises:
            PromqlError: Something else comes.
        """
        if not self.take(text):
            raise self.unexpected(where)

    def names(self) -> tuple[str, ...]:
        """Label names in parentheses."""
        self.expect("(", " in grouping opts")
        names: list[str] = []
        while not self.take(")"):
            if names:
                self.expect(",", " in grouping opts")
                if self.take(")"):
                    break
            names.append(self.name(" in grouping opts"))
        return tuple(names)

    def name(self, where: str) -> str:
        """A label name, bare or quoted."""
        if self.token.kind == "text":
            return unquoted(self.step().text)
        if self.token.kind != "word":
            raise self.unexpected(where)
        return self.step().text
