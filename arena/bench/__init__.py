"""Measurements of the arena beside the floors and peers they are judged by, in one run."""
