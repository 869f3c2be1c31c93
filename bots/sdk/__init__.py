"""The SDK: what a bot author imports."""
