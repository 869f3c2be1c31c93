"""The vocabulary of the arena: seats, games, states, chance, outcomes, errors. Imports nothing of the project."""

from arena.core.actions import ActionTable
from arena.core.chance import FastStream, KeyedStream, Stream, pick, pick_weighted
from arena.core.game import AnyGame, Components, Game, GameSpec, Secret, State, Variant
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Actor, Chance, Seat

__all__ = [
    "CHANCE",
    "ActionTable",
    "Actor",
    "AnyGame",
    "Chance",
    "Components",
    "FastStream",
    "Game",
    "GameSpec",
    "KeyedStream",
    "Outcome",
    "Seat",
    "Secret",
    "State",
    "Stream",
    "Variant",
    "pick",
    "pick_weighted",
]
