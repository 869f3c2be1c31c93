"""Generated stubs of proto/arena/v1; never edited by hand."""
