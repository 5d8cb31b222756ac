import typer

from harness.cli.main import app


def test_commands_that_read_runs_name_their_place_alike() -> None:
    commands = typer.main.get_group(app).commands
    for name in ("runs", "index", "baseline", "baselines", "register", "list-suites"):
        options = {option.name: option for option in commands[name].params}
        assert options["run_dir"].envvar == "EVAL_RUN_DIR"
        assert "db" not in options or options["db"].envvar == "EVAL_DB"
