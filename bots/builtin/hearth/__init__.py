"""Hearth: a First Snow bot that lives for warmth."""
