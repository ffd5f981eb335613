"""Native differential testing: inputs made from what the program's text suggests, run on both
builds.

candidates.Candidates     inputs worth trying, none twice, for parameters or a command line
testing.NativeTesting     runs them, and says which differ
"""
