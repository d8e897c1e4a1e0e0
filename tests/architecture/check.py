"""Checks the rules of the source tree at the root that is given; prints file:line: error: ..."""
import sys

import rules

if __name__ == "__main__":
    errors = rules.errors_of(sys.argv[1])
    print("\n".join(errors) or "every rule holds")
    sys.exit(1 if errors else 0)
