"""Trains a small policy on First Snow with numpy alone and writes a bot folder that plays it.

    python train.py my_policy
    arena play first-snow ./my_policy greedy
    python train.py my_policy --submit

The policy is a line of weights over the features of a state. It takes the action after which the weights promise the
highest final lead. It learns by playing itself: every generation plays games with some odd moves among them, then fits
the weights to how the last generations' games ended (ridge regression).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from features import SIZE, features

from arena.core import CHANCE, FastStream, Seat
from arena.core.registry import load_game

HERE = Path(__file__).resolve().parent
GAME = load_game("first-snow")
RIDGE = 30.0
KEPT = 3
MANIFEST = 'name = "{name}"\ngames = ["first-snow"]\n'


def choose(state, weights, random, heat):
    """Return an action drawn by what the weights promise (softmax with this heat), and the features after it."""
    seat = state.to_act
    legal = state.legal_actions()
    rows = np.empty((len(legal), SIZE), np.float32)
    for place, action in enumerate(legal):
        after = state.copy()
        after.apply(action)
        rows[place] = features(after, seat)
    odds = rows @ weights / heat
    odds = np.exp(odds - odds.max())
    place = int(random.choice(len(legal), p=odds / odds.sum()))
    return legal[place], rows[place]


def play(weights, random, heat):
    """Play one game; return the features after each choice and the final lead of who chose."""
    state = GAME.new("standard", 2, GAME.components(None, ""))
    stream = FastStream(int(random.integers(2**32)))
    seen, seats = [], []
    while (actor := state.to_act) is not None:
        if actor is CHANCE:
            state.apply(GAME.draw(state, stream))
        elif len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
        else:
            action, row = choose(state, weights, random, heat)
            state.apply(action)
            seen.append(row)
            seats.append(actor)
    leads = [state.scores[seat] - state.scores[Seat(1 - seat)] for seat in seats]
    return np.array(seen, np.float32), np.array(leads, np.float32)


def fit(batches):
    """Return the weights that come closest to the final leads, kept small."""
    rows = np.concatenate([rows for rows, _ in batches]).astype(np.float64)
    leads = np.concatenate([leads for _, leads in batches]).astype(np.float64)
    return np.linalg.solve(rows.T @ rows + RIDGE * np.eye(SIZE), rows.T @ leads).astype(np.float32)


def train(generations, games, seed):
    """Return the weights after so many generations of so many games."""
    random = np.random.default_rng(seed)
    weights, batches = np.zeros(SIZE, np.float32), []
    for generation in range(generations):
        heat = 2.0 if generation else 1e9
        batches += [play(weights, random, heat) for _ in range(games)]
        batches = batches[-KEPT * games :]
        weights = fit(batches)
        print(f"generation {generation + 1} of {generations}: {sum(len(rows) for rows, _ in batches)} choices")
    return weights


def write_bot(folder, weights):
    """Write a bot folder that plays these weights."""
    folder.mkdir(parents=True, exist_ok=True)
    name = folder.resolve().name.lower().replace("_", "-")
    (folder / "bot.toml").write_text(MANIFEST.format(name=name))
    for file in ("bot.py", "features.py"):
        shutil.copy(HERE / file, folder / file)
    np.save(folder / "weights.npy", weights)


def submit(folder):
    """Submit the bot as anybody would, to the server that `arena submit` finds; return the command's exit code."""
    arena = Path(sys.executable).with_name("arena")
    return subprocess.run([arena if arena.exists() else "arena", "submit", folder], check=False).returncode


def main(arguments):
    """Train as the command line says, write the bot, and submit it if that is asked for; return the exit code."""
    parser = argparse.ArgumentParser(description="Train a small policy on First Snow and write it as a bot folder.")
    parser.add_argument("folder", type=Path, help="where the bot goes; its name is the bot's name")
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--games", type=int, default=400, help="games a generation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--submit", action="store_true", help="submit it to a running arena, as `arena submit` does")
    given = parser.parse_args(arguments)
    write_bot(given.folder, train(given.generations, given.games, given.seed))
    print(f"wrote {given.folder}; try: arena play first-snow {given.folder} greedy", flush=True)
    return submit(given.folder) if given.submit else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
