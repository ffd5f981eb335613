"""Experiments: strategies compared under the same budget.

compare(options, progress) -> Comparison       its table, its JSON, and a plot in the folder
"""

from symexec.experiments.comparing import compare
from symexec.experiments.comparison import Comparison

__all__ = ["Comparison", "compare"]
