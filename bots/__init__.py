"""What bot authors import, and the bots that come with the arena."""
