"""The world around the program under test: library functions, streams, inputs.

registry()            models written in Python, by function name
library.complete()    models written in C, linked to a program that calls them
inputs.InputPlan      what is symbolic, and the values of it as JSON
"""
