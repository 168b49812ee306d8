"""The old package's adapters cannot be imported beside the new package."""

collect_ignore = ["ask_old.py"]
