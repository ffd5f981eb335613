"""What programs must do, found out beside csgtest, to hold against what csgtest says.

verdicts       what docs/verdicts.md allows a finished report to claim
truth          what two versions natively do on every input of a small grid
reference      the intermediate representation and the contract of models, interpreted plainly
agreement      programs in the engine and as gcc's binary, with known, forced and shadowed values
models         calls of library functions in the engine and in this machine's C library
counts         mutants, and their diff paths by brute force over all inputs
equivalence    pairs that behave the same, near-misses of them, and random inputs for both

Tests and benchmarks import these; neither these nor ``generators`` import them.
"""
