"""The games that come with the arena, one folder each."""
