"""The evaluation of the change sequence graph paper (FSE 2013) on six pairs of GNU coreutils.

    facts.py     pairs.json as records: versions, errors, inputs that show them, the paper's figures
    prepared.py  what has to stand in the folders of the pairs, and whether it does
    scoring.py   a report of csgtest -> which known errors it exposes, on which sequences
    tables.py    scores -> docs/fse13.md: the paper's Tables 2 and 3 with the paper's figures beside
    __main__.py  runs and resumes all of it

Nothing of the programs is kept here.
"""
