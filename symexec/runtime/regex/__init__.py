"""Regular expressions of POSIX: their syntax, and regcomp, regexec."""
