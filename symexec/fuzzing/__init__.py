"""Native differential testing: inputs made from what a program's text says of them, run on both
builds.

candidates.Candidates     inputs worth trying, none twice, for parameters or a command line
testing.NativeTesting     runs them, and says which differ
"""
