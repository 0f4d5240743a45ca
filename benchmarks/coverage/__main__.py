"""`python -m benchmarks.coverage`: print the modelled share of each namespace and the names that are missing."""

from __future__ import annotations

import argparse
import json
import textwrap

from benchmarks.coverage import measure


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print only the figures, as JSON")
    options = parser.parse_args()
    found = measure()
    figures = {c.namespace: {"modelled": len(c.public) - len(c.missing), "public": len(c.public)} for c in found}
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for coverage in found:
        counts = figures[coverage.namespace]
        print(f"{coverage.namespace:32} {counts['modelled']:4} of {counts['public']:4}  {coverage.share:6.1%}")
        if coverage.missing:
            print(textwrap.indent(textwrap.fill(" ".join(coverage.missing), 110), "    "))


if __name__ == "__main__":
    main()
