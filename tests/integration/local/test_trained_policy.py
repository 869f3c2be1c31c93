"""The example that trains a policy: what it writes is a bot that `arena play` hosts."""

import json
import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).parents[3] / "examples" / "train_first_snow" / "train.py"


def run(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_few_games_make_a_bot_that_plays_in_a_sandbox(tmp_path: Path) -> None:
    trained = run(TRAIN, "my_policy", "--generations", 2, "--games", 4, folder=tmp_path)
    assert trained.returncode == 0, trained.stderr
    arena = "from arena.cli.main import main; main()"
    played = run("-c", arena, "play", "first-snow", "./my_policy", "random", "--seed", 3, "--json", folder=tmp_path)
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout)["end"] == "COMPLETED"


def test_equal_seeds_train_equal_weights(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(TRAIN, name, "--generations", 2, "--games", 2, "--seed", 5, folder=tmp_path)
    one, two = ((tmp_path / name / "weights.npy").read_bytes() for name in ("one", "two"))
    assert one == two
