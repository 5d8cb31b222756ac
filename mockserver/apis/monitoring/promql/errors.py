"""What is wrong with a query."""


class PromqlError(ValueError):
    """A query that cannot be read or carried out.

    Attributes:
        kind: `bad_data` for what cannot be read, `execution` for what cannot be carried out.
    """

    def __init__(self, message: str, kind: str = "bad_data") -> None:
        super().__init__(message)
        self.kind = kind


def execution(message: str) -> PromqlError:
    """A query that can be read and not be carried out."""
    return PromqlError(message, "execution")
