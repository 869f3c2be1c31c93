"""Quiet: what doing nothing is worth."""
