"""Numbers as text and back: formats of printf and strtod."""
