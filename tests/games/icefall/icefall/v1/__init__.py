"""Generated messages of Icefall."""
