from harness.cli import run_options


def test_an_option_has_names_a_variable_and_limits() -> None:
    made = run_options("--trials", "-n", panel="Run", env="EVAL_TRIALS", help="How often.", min=1)
    assert (made.default, *made.param_decls) == ("--trials", "-n")
    assert (made.envvar, made.rich_help_panel, made.help) == ("EVAL_TRIALS", "Run", "How often.")
    assert made.min == 1
