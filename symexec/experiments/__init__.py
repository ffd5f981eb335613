"""Experiments: strategies compared under the same budget.

compare(options, progress) -> Comparison       its table, its JSON, and a plot in the folder
table(comparison), json_text(comparison)
"""

from symexec.experiments.comparing import compare
from symexec.experiments.comparison import Comparison
from symexec.experiments.wording import json_text, table

__all__ = ["Comparison", "compare", "json_text", "table"]
