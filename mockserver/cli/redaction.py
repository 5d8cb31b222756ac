"""`understudy redaction`: the rules, what each of them finds in a file, and the way back."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.cassette import Rules, rules_of
from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.model import JsonObject
    from mockserver.redaction.explanation import Replacement

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show the redaction rules, try them, or decrypt a sealed map.",
)
_MOST_PLACES = 5


@app.command()
def rules(*, redaction: Rules = None, as_json: AsJson = False) -> None:
    """List the rules in the order in which they apply: yours, the APIs', the common ones.

    Optional rules that `on` in redaction.yaml does not name are listed last.

    Example: understudy redaction rules
    """
    from mockserver.redaction import RuleSet

    asked = rules_of(redaction).rules
    unasked = [
        rule for rule in RuleSet.optional() if rule.name not in {each.name for each in asked}
    ]
    if as_json:
        print_json([{**asdict(rule), "asked": rule in asked} for rule in (*asked, *unasked)])
        return
    for rule in (*asked, *unasked):
        what = "keep" if rule.keep else "credential" if rule.credential else ""
        typer.echo(f"{rule.name:<27} {rule.kind:<16} {what:<11} {rule.about}".rstrip())
        for name in ("fields", "collections", "beside", "apart", "within"):
            if values := getattr(rule, name):
                typer.echo(f"    {name}: {', '.join(values)}")
        for name in ("pattern", "check"):
            if value := getattr(rule, name):
                typer.echo(f"    {name}: {value}")
        if rule.optional:
            typer.echo(
                f"    optional: {'not asked' if rule in unasked else 'asked, named under on'}"
            )


@app.command("test")
def try_on(
    files: Annotated[list[Path], typer.Argument(help="Cassettes, JSON, YAML, logs, any text.")],
    *,
    redaction: Rules = None,
    as_json: AsJson = False,
) -> None:
    """Show how many values each rule replaces in files, and where, but never the values.

    Example: understudy redaction test answer.json
    """
    from mockserver.cassettes.leaks import explain_file

    known = rules_of(redaction)
    explained = {path: explain_file(path, known) for path in files}
    if as_json:
        print_json([{"file": path, **_values_json(found)} for path, found in explained.items()])
        return
    for path, found in explained.items():
        count = len({each.value for each in found})
        typer.echo(f"{path}: {count} {'value' if count == 1 else 'values'} would be replaced")
        by_rule: dict[tuple[str, str], list[Replacement]] = {}
        for each in found:
            by_rule.setdefault((each.rule, each.kind), []).append(each)
        for (rule, kind), replacements in sorted(by_rule.items()):
            typer.echo(f"  {rule:<27} {kind:<16} {len(replacements):>6}")
            for each in replacements[:_MOST_PLACES]:
                typer.echo(f"      {_place(each)}")
            if (more := len(replacements) - _MOST_PLACES) > 0:
                typer.echo(f"      and {more} more")


def _values_json(found: "Sequence[Replacement]") -> "JsonObject":
    """What would be replaced of a file, without the values."""
    return {
        "values": len({each.value for each in found}),
        "replacements": [
            {
                "rule": each.rule,
                "kind": each.kind,
                "place": each.place,
                "reason": each.reason,
                "learned_from": each.learned_from,
            }
            for each in found
        ],
    }


def _place(replacement: "Replacement") -> str:
    if replacement.reason == "learned":
        return f"{replacement.place}: learned from {replacement.learned_from}"
    return f"{replacement.place}: by {_REASONS[replacement.reason]}"


_REASONS = {
    "field": "the name of its field",
    "pattern": "its form",
    "path": "the segment of the path before it",
}


@app.command()
def unseal(
    sealed: Annotated[Path, typer.Argument(help="A sealed map that a capture wrote.")],
    pseudonyms: Annotated[
        list[str] | None, typer.Argument(help="Print only the values of these; all by default.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Decrypt a sealed map with the redaction key, and print the secrets behind the pseudonyms.

    Example: understudy redaction unseal orgunits.sealed user-1a2b3c4d@example.com
    """
    from mockserver.cassettes.files.reader import read_bounded
    from mockserver.cassettes.leaks import LARGEST
    from mockserver.errors import MockServerError
    from mockserver.redaction import unseal_secrets
    from mockserver.storage.redaction_settings import VARIABLE, redaction_key

    key = redaction_key(create=False)
    if key is None:
        raise MockServerError("there is no redaction key", hint=f"set {VARIABLE}")
    try:
        known = unseal_secrets(read_bounded(sealed, LARGEST), key)
    except ValueError as error:
        raise MockServerError(f"{sealed}: {error}", hint=f"set {VARIABLE} to its key") from error
    wanted = pseudonyms or list(known)
    for pseudonym in wanted:
        if pseudonym not in known:
            raise MockServerError(f"{sealed} does not know {pseudonym}")
    if as_json:
        print_json(
            {each: {"kind": known[each].kind, "value": known[each].value} for each in wanted}
        )
        return
    for pseudonym in wanted:
        typer.echo(f"{pseudonym}\t{known[pseudonym].kind}\t{known[pseudonym].value}")
