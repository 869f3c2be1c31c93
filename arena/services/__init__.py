"""Use cases of the platform; one function each."""
