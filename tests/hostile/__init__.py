"""What strangers may give csgtest: repositories, output folders, stores, programs and C files that
are made to do harm, each by a generator."""
