"""The search of paths: initial states, turns of states, and findings.

single_program.ExploreJob   one program: a test for each path
concrete_run.run_concrete   one program, one run
"""
