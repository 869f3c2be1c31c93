"""Snowblind."""
