"""Print the program of a seed."""

import sys

from benchmarks.random_c import program

sys.stdout.write(program(int(sys.argv[1])))
