"""Greedy: looks one action ahead in any game."""
