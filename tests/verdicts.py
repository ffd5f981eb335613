"""Write the tables of docs/verdicts.md from the ledger's type and from the tests.

python -m tests.verdicts
"""

from __future__ import annotations

from pathlib import Path

from symexec.ledger import REASONS, Claim
from tests import families

DOCUMENT = Path(__file__).parents[1] / "docs" / "verdicts.md"
MADE = "<!-- made from {}: python -m tests.verdicts -->\n"
END = "<!-- end -->\n"


def table() -> str:
    """The reasons, each with the claims that it withdraws, as a table in Markdown."""
    rows = ["| reason | recorded where | withdraws |", "|---|---|---|"]
    for reason, row in REASONS.items():
        claims = ", ".join(each for each in Claim if each in row.withdraws) or "nothing"
        rows.append(f"| `{reason}` | {row.says} | {claims} |")
    return "\n".join(rows) + "\n"


def renewed(text: str) -> str:
    """The document with the present tables."""
    for source, present in (("the ledger's type", table()), ("the tests", families.table())):
        before, begin, rest = text.partition(MADE.format(source))
        _, end, after = rest.partition(END)
        assert begin and end, f"{DOCUMENT} has no table that is made from {source}"
        text = before + begin + present + end + after
    return text


if __name__ == "__main__":
    DOCUMENT.write_text(renewed(DOCUMENT.read_text()))
