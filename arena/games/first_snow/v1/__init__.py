"""Generated stubs of proto/arena/games/first_snow/v1; never edited by hand."""
