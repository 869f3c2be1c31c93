"""Toolmaker: a First Snow bot that lives for its tools."""
