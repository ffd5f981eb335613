"""Does the engine do what gcc's binary does? Generated programs, run by both -> docs/agreement.md.

    python -m benchmarks.agreement                               the fixed lists; writes the page
    python -m benchmarks.agreement csmith --seeds 1-20           these only, no page
    python -m benchmarks.agreement random csmith --seeds 10000-99999 --time 28800 --keep failures

The last one is a night's search: it stops after eight hours, and keeps what does not agree.
"""
