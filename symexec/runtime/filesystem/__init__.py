"""The file system of the program under test: nodes, descriptors, paths, folders."""
