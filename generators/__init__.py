"""Random C programs and pairs of versions: the same for the same seed or ``Random``, everywhere.

random_c    whole programs without input or undefined behaviour, about every part of the language
pairs       small functions and mains, as trees, and edits of them
parsers     pairs of parsers that differ on long inputs only

What must become of them is in ``oracles``. Tests and benchmarks import both; neither imports those.
"""
