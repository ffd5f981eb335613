"""Who is who: what of one version is what of the other."""
