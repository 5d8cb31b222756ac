"""`python -m mockserver` is the `mockserver` command."""

from mockserver.cli.main import main

if __name__ == "__main__":
    main()
