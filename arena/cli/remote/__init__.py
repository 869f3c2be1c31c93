"""Playing from one's own machine: the lobby's stream, and the seats that it calls to."""
