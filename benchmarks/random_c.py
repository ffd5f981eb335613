"""Print the program of a seed: python -m benchmarks.random_c 7"""

import sys

from generators.random_c import program

if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
