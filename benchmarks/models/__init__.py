"""Does each model do what this machine's C library does? Generated calls -> docs/models.md.

    python -m benchmarks.models                       every model, three rounds; writes the page
    python -m benchmarks.models 'str.*|is.*' --rounds 20 --seed 7
    python -m benchmarks.models --results models.jsonl    goes on where it was stopped
    python -m benchmarks.models --without             the models that have no case, and why

A model is tried by calls of it in C. The engine runs each with arguments that are symbols: *forced*
to drawn values by the path condition, so that the symbolic code of the model runs; and *free* in
ranges, where a value is taken from each path and at random. gcc's builds (-O0, -O2, sanitized) get
the same values in the sandbox of replay. What is compared: result, errno, the arguments' objects,
files, standard output and error, and how the call ends.
"""
