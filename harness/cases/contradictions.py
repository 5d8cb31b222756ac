"""What makes a case invalid as a whole: its mode, and rules that no agent can keep at once."""

from collections import Counter
from collections.abc import Iterator

from harness.cases.evidence import contains_phrase, fold_text
from harness.cases.scenario import contradiction
from harness.checks.matchers import is_named
from harness.documents import Remark
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ExpectedRow,
    Files,
    ForbiddenEvidence,
    ForbiddenTools,
    MaxCalls,
    Milestones,
    MinCalls,
    Minefields,
    Reference,
    Routing,
    ServerRequests,
    ServerState,
    Signals,
    TextContains,
    TextLacks,
    ToolCalls,
)

_WRITES = frozenset(
    ("insert", "create", "update", "patch", "delete", "move", "undelete", "batchcreate")
)
"""Last words of methods that change the collection before them."""


def clashes(case: Case) -> Iterator[Remark]:
    """Pairs of rules of which one cannot be kept.

    Yields:
        A remark for each.
    """
    yield from _phrases(case)
    yield from _tools(case)
    yield from _impossible_counts(case)
    yield from _passed_limits(case)
    yield from _requests(case)
    yield from _writes(case)
    yield from _rows(case)
    yield from _files(case)
    yield from _routes(case)


def _phrases(case: Case) -> Iterator[Remark]:
    forbidden = [
        (item.turn, phrase, isinstance(item, ForbiddenEvidence) and bool(item.unless))
        for item in case.expect
        if isinstance(item, ForbiddenEvidence | TextLacks) and item.required
        for phrase in (item.markers if isinstance(item, ForbiddenEvidence) else item.needles)
    ]
    for item in case.expect:
        for phrase in _required_phrases(item):
            for turn, banned, excused in forbidden:
                if turn not in {item.turn, None}:
                    continue
                if fold_text(phrase) == fold_text(banned):
                    yield Remark(f"{phrase!r} is both required and forbidden", [banned])
                elif contains_phrase(phrase, banned) and not excused:
                    message = (
                        f"{phrase!r} is required, but {banned!r}, which is in it, is forbidden"
                    )
                    yield Remark(message, [banned])


def _required_phrases(item: object) -> tuple[str, ...]:
    if isinstance(item, Evidence) and item.required:
        return item.markers
    if isinstance(item, TextContains) and item.required and item.match == "all":
        return item.needles
    return ()


def _required_tools(case: Case) -> Iterator[str]:
    # without a call of each of them no trial passes
    for item in case.expect:
        if isinstance(item, ToolCalls) and item.required and item.mode != "subset":
            for call in item.calls:
                if not call.optional and (call.count is None or call.count.min):
                    yield call.name
        elif isinstance(item, MinCalls) and item.required:
            yield from (name for name, least in item.counts.items() if least)
        elif isinstance(item, Milestones) and item.required:
            yield from (each.call.name for each in item.milestones if each.call is not None)


def _tools(case: Case) -> Iterator[Remark]:
    banned = [
        glob
        for item in case.expect
        if isinstance(item, ForbiddenTools) and item.required
        for glob in item.globs
    ]
    banned += [
        mine.call.name
        for item in case.expect
        if isinstance(item, Minefields) and item.required
        for mine in item.mines
        if mine.call is not None and mine.call.args is None and mine.call.status is None
    ]
    for name in dict.fromkeys(_required_tools(case)):
        for glob in banned:
            if is_named(name, glob):
                by = "" if glob == name else f", by {glob!r}"
                yield Remark(f"the tool {name!r} is both required and forbidden{by}", [glob])


def _impossible_counts(case: Case) -> Iterator[Remark]:
    # where only the calls that are listed may be made, `min` can ask for no more
    least = {
        name: count
        for item in case.expect
        if isinstance(item, MinCalls) and item.required
        for name, count in item.counts.items()
    }
    for item in case.expect:
        if not (isinstance(item, ToolCalls) and item.required and item.mode in {"exact", "subset"}):
            continue
        for name, count in least.items():
            places = [call for call in item.calls if call.name == name]
            most = [call.count.max if call.count else 1 for call in places]
            if item.turn is None and None not in most and sum(filter(None, most)) < count:
                yield Remark(
                    f"{name!r} must be called {count} times, but mode {item.mode!r} allows no calls"
                    f" but those listed, with {sum(filter(None, most))} of it",
                    [name],
                    "list the calls, or use mode in_order",
                )


def _passed_limits(case: Case) -> Iterator[Remark]:
    # what turns need adds up; what is said of the whole trial may be the same calls
    needed: dict[int | None, Counter[str]] = {}
    for item in case.expect:
        if isinstance(item, ToolCalls) and item.required and item.mode != "subset":
            least = Counter[str]()
            for call in item.calls:
                times = 1 if call.count is None else call.count.min
                least[call.name] += times * (not call.optional)
            needed[item.turn] = needed.get(item.turn, Counter()) | least
    whole = needed.pop(None, Counter())
    turns = sum(needed.values(), Counter[str]())
    for item in case.expect:
        if isinstance(item, MaxCalls) and item.required and item.turn is None:
            for name, most in item.counts.items():
                if (times := max(whole[name], turns[name])) > most:
                    yield Remark(
                        f"{name!r} must be called {times} times, and at most {most} times", [name]
                    )


def _requests(case: Case) -> Iterator[Remark]:
    banned = [
        request.method
        for item in case.expect
        if isinstance(item, ServerRequests) and item.required
        for request in item.requests
        if request.max == 0 and not request.params and request.status is None
    ]
    banned += [
        mine.request.method
        for item in case.expect
        if isinstance(item, Minefields) and item.required
        for mine in item.mines
        if mine.request is not None and not mine.request.params and mine.request.status is None
    ]
    for method in dict.fromkeys(_required_methods(case)):
        for glob in banned:
            if is_named(method, glob):
                by = "" if glob == method else f", by {glob!r}"
                yield Remark(f"the request {method!r} is both required and forbidden{by}", [glob])


def _required_methods(case: Case) -> Iterator[str]:
    for item in case.expect:
        if isinstance(item, ServerRequests) and item.required:
            for request in item.requests:
                if request.min and (request.status is None or request.status < 400):
                    yield request.method
        elif isinstance(item, Milestones) and item.required:
            for each in item.milestones:
                if each.request is not None and (each.request.status or 200) < 400:
                    yield each.request.method


def _writes(case: Case) -> Iterator[Remark]:
    kept = [
        glob
        for item in case.expect
        if isinstance(item, ServerState) and item.required
        for glob in item.unchanged
    ]
    for method in dict.fromkeys(_required_methods(case)):
        path, _, verb = method.rpartition(".")
        resource = path.rpartition(".")[2]
        if verb.casefold() in _WRITES and resource:
            for glob in kept:
                if is_named(resource, glob):
                    yield Remark(
                        f"{method!r} is required, but {glob!r} must stay unchanged",
                        [glob, method],
                        "drop one of the two; 'allow' lists changes that do not matter",
                    )


def _rows(case: Case) -> Iterator[Remark]:
    rows = [
        row
        for item in case.expect
        if isinstance(item, ServerState) and item.required
        for row in item.rows
    ]
    for number, row in enumerate(rows):
        for other in rows[:number]:
            same = (row.collection, row.where) == (other.collection, other.where)
            if same and not _together(row, other):
                picked = f"{row.collection} where {row.where}" if row.where else row.collection
                yield Remark(
                    f"there must be {_count_text(other)} of {picked}, and also {_count_text(row)}",
                    [row.where, row.collection],
                    "their 'count' cannot both hold",
                )


def _together(row: ExpectedRow, other: ExpectedRow) -> bool:
    if row.count is None or other.count is None:
        return 0 not in {row.count, other.count}
    return row.count == other.count


def _count_text(row: ExpectedRow) -> str:
    return "at least one" if row.count is None else str(row.count)


def _files(case: Case) -> Iterator[Remark]:
    files = [
        file
        for item in case.expect
        if isinstance(item, Files) and item.required
        for file in item.files
    ]
    gone = {file.path for file in files if file.absent}
    for path in dict.fromkeys(file.path for file in files if not file.absent):
        if path in gone:
            yield Remark(f"the file {path!r} must be there, and must not", [path])


def _routes(case: Case) -> Iterator[Remark]:
    for item in case.expect:
        if not (isinstance(item, Routing) and item.required and item.among):
            continue
        if not any(is_named(item.to, glob) for glob in item.among):
            handlers = ", ".join(map(repr, item.among))
            message = f"the handler must be {item.to!r}, which is none of {handlers}"
            yield Remark(message, [item.to, *item.among])


def contradictions(case: Case) -> Iterator[Remark]:
    """Why a case cannot be judged, or no agent can pass it.

    Yields:
        A remark for each reason; nothing for a sound case.
    """
    if reason := contradiction(case):
        yield Remark(reason, ["mode"])
    yield from _turns(case)
    yield from clashes(case)


def doubts(case: Case) -> Iterator[Remark]:
    """Why a case decides less than its author may think.

    Yields:
        A remark for each reason; nothing for a sound case.
    """
    decisive = [item for item in case.expect if item.required]
    if decisive and all(isinstance(item, Signals) for item in decisive):
        yield Remark(
            "expects only that the reply looks like an answer: any long one passes",
            hint="say what the reply, the calls or the server must show",
        )
    if not decisive:
        yield Remark(
            "expects nothing, so it cannot fail: its verdict will be inconclusive",
            ["expect"],
            "say what the reply, the calls or the server must show",
        )
    if case.mode == "reference" and not any(isinstance(item, Reference) for item in case.expect):
        yield Remark(
            "mode 'reference' has no reference text (reference_response) to be like", ["mode"]
        )


def _turns(case: Case) -> Iterator[Remark]:
    turns = len(case.turns)
    for item in case.expect:
        if item.turn is not None and not 1 <= item.turn <= turns:
            yield Remark(
                f"{item.kind} speaks of turn {item.turn}, but the case has turns 1 to {turns}",
                ["turn"],
            )
        for name, turn in _calls_of(item):
            if turn is not None and (turn > turns or item.turn not in {None, turn}):
                yield Remark(
                    f"the call of {name!r} is expected in turn {turn}, where it is not looked for",
                    ["turn", name],
                    f"the case has turns 1 to {turns}",
                )
    if case.reference and len(case.reference) != turns:
        yield Remark(
            f"the reference has {len(case.reference)} turns, the case has {turns}",
            ["reference"],
            "give one block of the reference for each turn",
        )


def _calls_of(item: Expectation) -> list[tuple[str, int | None]]:
    calls = item.calls if isinstance(item, ToolCalls) else ()
    return [(call.name, call.turn) for call in calls]
