"""Find which name, type, variable or statement of one version is which of the other."""
