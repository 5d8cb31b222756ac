from mockserver.apis.errorreporting.methods import HANDLERS


def test_projects_and_their_locations_have_the_same_methods() -> None:
    located = {name.replace(".locations", "") for name in HANDLERS if ".locations." in name}
    plain = {name for name in HANDLERS if ".locations." not in name}
    assert plain - located == {"clouderrorreporting.projects.events.report"}
