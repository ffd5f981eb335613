"""The static half of csgtest: two versions of a C program -> one, and the graph of its changes."""

VERSION = "0.1.0"
