"""Generated stubs of proto/arena/games/snowblind/v1; never edited by hand."""
