"""`python -m unjudged`."""

from unjudged.cli.main import main

main()
