"""The arena command, one module a command group."""
