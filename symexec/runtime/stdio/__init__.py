"""Streams of C17 7.21: opening, reading, printing."""
