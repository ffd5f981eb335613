"""The search of paths: where states begin, how they go on, what they come upon.

single_program.ExploreJob   one program: a test for each path
concrete_run.run_concrete   one program, one run
"""
