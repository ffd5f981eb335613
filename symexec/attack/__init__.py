"""Attack a verdict that no search can prove: call both versions natively with inputs of its own.

    for each in attack(...):      Shown: an input on which a caller can tell the versions apart

It shares nothing with the search: neither what an input is (``symexec.inputs``) nor which values
are tried (``symexec.fuzzing``). So it sees what the search leaves out: parameters that lead to one
object, objects with more behind them, memory of malloc, NaN, what the library prints.

    words.py           numbers and texts of both versions
    command_lines.py   arguments, standard input and files for a program with main
    shapes.py          the types of a function as tables (replay/driver.h)
    drivers.py         the C program that makes inputs from a seed and calls the function; what all
                       of these have in common is replay/driver.c
    functions.py       runs both drivers, compares, and runs what differs again
    inputs.py          an input of a driver as a test, where a test can say it
    witness.py         or else as a C program
"""

SOURCE = "attack"  # of tests that it finds
