"""One file for each kind of search: what is in this folder is offered by ``search.registry``."""
