"""People at the seats of a match: what they see in a terminal, and how they answer."""
