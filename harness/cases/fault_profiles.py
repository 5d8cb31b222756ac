"""Ways in which a world goes wrong: each case is run without, and once with each of them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.documents import Findings, read_yaml
from harness.errors import HarnessError, InvalidCasesError, plain_reason
from harness.model import Case
from mockserver.model import Fault, did_you_mean

Profiles = Mapping[str, tuple[Fault, ...]]

TAG = "faults:"
"""What the tag of a case begins with that is run under a profile; the profile's name follows."""

BUILTIN: Profiles = {
    "rate-limit": (Fault(method="*", status=429, calls=("1-2",)),),
    "server-errors": (Fault(method="*", status=503, calls=(1, 3)),),
    "slow": (Fault(method="*", latency_ms=1500),),
    "auth-expired": (Fault(method="*", kind="expire_token", calls=(2,)),),
    "flaky-network": (
        Fault(method="*", kind="reset", calls=(1,)),
        Fault(method="*", kind="truncate", calls=(3,)),
    ),
    "malformed": (Fault(method="*", kind="malformed", calls=(1,)),),
    "outage": (Fault(method="*", status=503),),
}
"""Profiles by name. All but `outage` can be recovered from by trying again."""

OF_MODELS: Profiles = {
    "model-rate-limit": (
        Fault(method="models.chat", error="rate_limit", retry_after_s=0.1, calls=("1-2",)),
    ),
    "model-overload": (Fault(method="models.chat", error="overloaded", calls=(1, 3)),),
    "model-cut-stream": (Fault(method="models.chat", kind="truncate", calls=(1,)),),
    "model-malformed-call": (Fault(method="models.chat", kind="malformed_tool_call", times=1),),
}
"""Profiles of what goes wrong with models alone."""

_GROUPS: Mapping[str, Profiles] = {"all": BUILTIN, "models": OF_MODELS}
_KNOWN = {**BUILTIN, **OF_MODELS}
_PROFILES = TypeAdapter(dict[str, tuple[Fault, ...]])
_LONGEST_ID = 64


def fault_profiles(names: str, folder: Path) -> Profiles:
    """The profiles that are named: built-in ones, or those of a YAML file.

    Args:
        names: Names and files (`name: [fault, ...]`), by comma; `all` is every built-in one but
            those of models, `models` is all of these.
        folder: Where relative paths start.

    Raises:
        HarnessError: A name is unknown, or a file is none.
    """
    found: dict[str, tuple[Fault, ...]] = {}
    for name in filter(None, (part.strip() for part in names.split(","))):
        if name in _GROUPS:
            found.update(_GROUPS[name])
        elif name in _KNOWN:
            found[name] = _KNOWN[name]
        elif name.endswith((".yaml", ".yml", ".json")):
            found.update(_read(folder / name))
        else:
            raise HarnessError(
                f"unknown fault profile {name!r}",
                hint=did_you_mean(name, (*_KNOWN, *_GROUPS)) or "or a YAML file of profiles",
            )
    return found


def cross_with_profiles(cases: Sequence[Case], profiles: Profiles) -> tuple[Case, ...]:
    """Each case as it is, followed by itself under each profile: `<id>--<profile>`.

    Raises:
        HarnessError: An id becomes too long.
    """
    return tuple(made for case in cases for made in (case, *_under(case, profiles)))


def _under(case: Case, profiles: Profiles) -> Iterable[Case]:
    for name, faults in profiles.items():
        id = f"{case.id}--{name}"
        if len(id) > _LONGEST_ID:
            raise HarnessError(f"case id {id!r} is longer than {_LONGEST_ID} characters")
        fixtures = case.fixtures.model_copy(update={"faults": (*case.fixtures.faults, *faults)})
        tags = (*case.tags, f"{TAG}{name}")
        yield case.model_copy(update={"id": id, "fixtures": fixtures, "tags": tags})


def _read(path: Path) -> Profiles:
    findings = Findings()
    document = read_yaml(path, findings)
    if document is None:
        raise InvalidCasesError(findings.problems)
    try:
        return _PROFILES.validate_python(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"]))
        raise HarnessError(
            f"{path}#/{where}: {plain_reason(first['msg'])}",
            hint="name: [{method: ..., status: ...}]",
        ) from None
