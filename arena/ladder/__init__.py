"""Pairing, ratings, standings and statistics; pure functions."""
