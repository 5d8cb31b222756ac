"""`understudy verify`: how far the mock agrees with recordings of the live service."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.commands import AsJson, print_json
from mockserver.errors import MockServerError

if TYPE_CHECKING:
    from mockserver.googleapi import Method
    from mockserver.verify import Recording, Verifier
    from mockserver.verify.live import Authorize

_GATE_FAILED = 1


def verify(  # noqa: PLR0913  (one parameter an option)
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings, or folders of them, in any known format."),
    ] = None,
    *,
    fixtures: Annotated[
        Path | None,
        typer.Option(help="The suite whose declared APIs and data answer. (default: none)"),
    ] = None,
    method: Annotated[str, typer.Option(help="Count only methods that match this glob.")] = "*",
    host: Annotated[str, typer.Option(help="Count only hosts that match this glob.")] = "*",
    worst: Annotated[
        int, typer.Option(min=0, help="Show this many kinds of differences, the most frequent.")
    ] = 10,
    min_agreement: Annotated[
        float | None,
        typer.Option(
            "--min-agreement",
            min=0,
            max=1,
            help="Fail if fewer exchanges agree, for example 0.95.",
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option("--runs", help="A run folder: name the cases that rest on what differs."),
    ] = None,
    propose: Annotated[
        Path | None,
        typer.Option(
            help="Write an override into this folder, with which the suite's data says what the"
            " recordings read. Needs --fixtures; its data answers alone then."
        ),
    ] = None,
    upstream: Annotated[
        str, typer.Option(help="The base URL, for recordings that hold only paths.")
    ] = "",
    html: Annotated[Path | None, typer.Option(help="Also write an HTML page to this file.")] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Also write JUnit XML to this file, a test for each method.")
    ] = None,
    trust_suite: Annotated[
        bool,
        typer.Option(
            "--trust-suite",
            help="Run the Python functions that the suite's declared APIs name.",
        ),
    ] = False,
    live: Annotated[
        list[str] | None,
        typer.Option(
            "--live",
            help="Ask this live host again what was recorded, and compare with what it answers now:"
            " api.example.com, *.googleapis.com, or HOST=URL for a server of another address.",
        ),
    ] = None,
    writes: Annotated[
        str,
        typer.Option(
            help="Also send what changes something, to this sandbox and nowhere else: project=ID,"
            " customer=ID or host=NAME. (default: reads only)",
        ),
    ] = "",
    header: Annotated[
        list[str] | None,
        typer.Option(help="A header for the live host: 'Authorization: Bearer ...'."),
    ] = None,
    credentials: Annotated[
        Path | None,
        typer.Option(
            help="A credentials file for Google's hosts; the application default credentials by"
            " default."
        ),
    ] = None,
    subject: Annotated[
        str,
        typer.Option(help="The user that a service account with domain-wide delegation acts for."),
    ] = "",
    plan: Annotated[
        Path | None,
        typer.Option(help="Ask Google's live APIs the calls of this capture plan, reads only."),
    ] = None,
    variables: Annotated[
        list[str] | None,
        typer.Option("--set", help="A variable of the plan: name=value, or name=[JSON list]."),
    ] = None,
    qps: Annotated[
        float, typer.Option(min=0.01, help="Requests per second to a live host.")
    ] = 10.0,
    as_json: AsJson = False,
) -> None:
    """Show how far the mock agrees with recordings of the live service.

    Each recording gets a world of its own, which holds what the recording shows was there before:
    what it reads and did not create. Its requests are sent in order, in this process; without
    --live and --plan the network is never asked. Ids, times, etags and page tokens of the live
    service stand for the mock's own. An exchange agrees if the status is the recorded one, and the
    answer has every field that the live service sent, with an equal value.

    With --runs, each difference names the cases whose trials called the method, or read the value.
    With --propose, the suite's data answers alone: what it says otherwise than a new recording is
    a difference, too. The override changes what the recordings read before they write: fields of
    rows, rows that are new, and rows that are gone from whole lists.

    With --live, the live API is asked first, with your credentials in the place of recorded ones;
    its answers are redacted as captures are, and the mock is held against them. Nothing is kept.

    Exit codes: 0, or 1 if fewer exchanges agree than --min-agreement, 2 if nothing was compared.

    Example: understudy verify cassettes/ --fixtures fixtures/shop

    Example: understudy verify golden/ --method 'cloudkms.*' --worst 30 --html agreement.html

    Example: understudy verify cassettes/ --min-agreement 0.95 --junit verify.xml

    Example: understudy verify new.yaml --fixtures fixtures/shop --runs runs/last --propose proposed

    Example: understudy verify orders.yaml --fixtures fixtures/shop --live api.example.com

    Example: understudy verify gcs.yaml --live '*.googleapis.com' --writes project=my-sandbox
    """
    from mockserver.drift import find_case_reads
    from mockserver.verify import Verifier, as_html, as_junit, as_text, find_recordings, redacted
    from mockserver.verify import as_json as json_of

    _check_proposal(propose, fixtures)
    verifier = Verifier(fixtures, methods=method, hosts=host, trusted=trust_suite,
                        proposes=propose is not None)  # fmt: skip
    asked = _LiveOptions(tuple(live or ()), writes, tuple(header or ()),
                         credentials, subject, plan, tuple(variables or ()), qps)  # fmt: skip
    asked.check(recordings or ())
    found: Iterable[Recording] = find_recordings(recordings or (), upstream=upstream)
    with _progress() as before:
        if plan is not None:
            found = [asked.ask_plan(plan)]
        elif live:
            found = asked.ask(verifier, list(found), before)
        elif verifier.proposals is not None:
            found = redacted(found, verifier.proposals.stated())
        agreement = verifier.verify(found, before=before)
    if runs is not None:
        agreement.name_cases(find_case_reads(runs))
    least = 1.0 if min_agreement is None else min_agreement
    if html is not None:
        _write(html, as_html(agreement, worst))
    if junit is not None:
        _write(junit, as_junit(agreement, least))
    if as_json:
        print_json(json_of(agreement, worst))
    else:
        typer.echo(as_text(agreement, worst), nl=False)
    if propose is not None:
        _write_proposal(verifier, propose, apart=as_json)
    total = agreement.total
    if not total.exchanges:
        raise MockServerError(
            "no exchange was compared",
            hint="see above what was not read, is of a host that is not served, or left out",
        )
    if min_agreement is not None and total.agreement < min_agreement:
        typer.echo(
            f"understudy: {total.agreement:.1%} of {total.exchanges} exchanges agree,"
            f" fewer than {min_agreement:.1%}",
            err=True,
        )
        raise typer.Exit(_GATE_FAILED)


def _check_proposal(folder: Path | None, fixtures: Path | None) -> None:
    if folder is None:
        return
    if fixtures is None:
        raise MockServerError("--propose changes a suite's data", hint="name it with --fixtures")
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else (folder,)):
        raise MockServerError(f"{folder} is there already", hint="name a new folder")


def _write_proposal(verifier: "Verifier", folder: Path, *, apart: bool) -> None:
    if verifier.proposals is None:
        return
    for line in verifier.proposals.write(folder) or ("nothing is proposed",):
        typer.echo(line, err=apart)
    for each in verifier.proposals.unplaced:
        typer.echo(f"not proposed, the suite holds it in another form: {each}", err=apart)


@dataclass(frozen=True)
class _LiveOptions:
    """What a live API is asked, and how."""

    hosts: tuple[str, ...]
    writes: str
    headers: tuple[str, ...]
    credentials: Path | None
    subject: str
    plan: Path | None
    variables: tuple[str, ...]
    qps: float

    def check(self, recordings: Sequence[Path]) -> None:
        """Refuse options that do not go together.

        Raises:
            MockServerError: They do not.
        """
        if (self.plan is None) == (not recordings):
            raise MockServerError("name recordings, or a --plan to ask live")
        if self.plan is not None and (self.hosts or self.writes or self.headers):
            raise MockServerError("--plan asks Google's APIs, reads only: it takes no --live,"
                                  " --writes or --header")  # fmt: skip
        if self.plan is None and self.variables:
            raise MockServerError("--set is about a --plan")
        if not (self.hosts or self.plan) and (self.writes or self.headers):
            raise MockServerError(
                "--writes and --header are about a live host", hint="name it with --live"
            )

    def ask(
        self, verifier: "Verifier", recordings: "Sequence[Recording]", before: Callable[[str], None]
    ) -> "Sequence[Recording]":
        """What the live hosts answer now to what was recorded, redacted."""
        from mockserver.capture.setup import capture_redactor
        from mockserver.capture.upstream import parse_headers
        from mockserver.http.server import real_time
        from mockserver.verify import LiveApi, Target, parse_hosts, parse_sandbox

        def authorize(methods: "Sequence[Method]") -> "Authorize":
            from mockserver.capture.google import Credentials
            from mockserver.capture.google import authorize as authorized

            return authorized(Credentials(self.credentials, self.subject), methods)

        sandbox = parse_sandbox(self.writes) if self.writes else None
        headers, hosts = parse_headers(self.headers), parse_hosts(self.hosts)
        target = Target(hosts, headers, sandbox, authorize, 1 / self.qps)
        api = LiveApi(target, verifier.routes, partial(capture_redactor, None), real_time)
        return api.ask(recordings, before=before)

    def ask_plan(self, plan: Path) -> "Recording":
        """What Google's live APIs answer now to a plan, redacted."""
        from mockserver.cli.drift import LivePlan, ask_live
        from mockserver.verify import Recording

        order = LivePlan(plan, self.variables, self.credentials, self.subject)
        cassette = ask_live(order, as_snapshot=False).cassette
        return Recording(str(plan), "plan", cassette.interactions if cassette else ())


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Shows on a terminal which recording is sent.

    Yields:
        What is called with the name of each.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda name: status.update(name)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MockServerError(f"{path} cannot be written: {error.strerror or error}") from error
