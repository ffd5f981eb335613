"""Campaigns: from C files and options to tests.

building.BuildJob       two versions: inputs on which they differ, each proved natively
exploring.ExploreJob    one program: a test for each path
running.run_concrete    one program, one run

Import the one that is needed: a run loads nothing of what a search needs.
"""
