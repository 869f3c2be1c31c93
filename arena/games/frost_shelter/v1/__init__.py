"""Generated stubs of proto/arena/games/frost_shelter/v1; never edited by hand."""
