"""What the program under test calls and runs on: the C library and the system around it.

registry()            models written in Python, by function name
library.complete()    models written in C, linked to a program that calls them
"""
