"""Random pairs and faults, hour after hour, and a second opinion on every verdict -> docs/soak.md.

    python -m benchmarks.soak --minutes 120 --jobs 2 --seed 1          a night's run (``make soak``)
    python -m benchmarks.soak --minutes 60 --resume                    more of it
    python -m benchmarks.soak --only functions:cache-flipped:1234      one unit, as it was

A unit is a pair of programs (``subjects``) that csgtest judges while something goes wrong
(``faults``), and then once more, with another solver, while nothing does. What it says is held
against what the programs natively do (``judging``), and what it leaves behind is looked for
(``process``).
"""
