"""``python -m openmed_rules``: the command line."""

from openmed_rules.cli import main

if __name__ == "__main__":
    main()
