"""tools/verify_log.py in a bare interpreter: no site-packages, no environment, nothing of ours."""

import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from arena.cli.main import run
from arena.core import KeyedStream
from arena.ladder.seeds import commitment_of, deal_seed, tournament_seed
from arena.match import Clock, SeatLabel, Setup, play_local

ROOT = Path(__file__).parents[3]
TOOL = ROOT / "tools" / "verify_log.py"
GOLDEN = sorted(ROOT.glob("arena/games/*/golden/*.jsonl"))
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
SECRET = bytes(range(16))
ARCHIVES = [sha256(name).hexdigest() for name in (b"one", b"two")]


def bare(*arguments):
    """Run the tool with nothing but the standard library; returns (exit code, stdout)."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(TOOL), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": ""},
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def program():
    """The tool's functions, for checking many things without a process each."""
    names = {"__name__": "verify_log"}
    exec(compile(TOOL.read_text(encoding="utf-8"), str(TOOL), "exec"), names)  # noqa: S102 - our own program
    return names


@pytest.fixture
def rated(tmp_path):
    """The log of a match on deal 2 of a tournament, and the proof of that tournament."""
    seed = tournament_seed(SECRET, ARCHIVES)
    setup = Setup(
        game="first-snow",
        variant="standard",
        seats=(SeatLabel("ada", "1"), SeatLabel("bert", "1")),
        seed=deal_seed(seed, 2),
        clock=Clock.parse("10s+0.1s"),
        match_id="17",
    )
    log = tmp_path / "17.jsonl"
    log.write_text(play_local(setup, [lambda match, decision: 0] * 2).log_text(), encoding="utf-8")
    proof = {
        "commitment": commitment_of(SECRET),
        "secret": SECRET.hex(),
        "archives": ARCHIVES,
        "deals": [{"number": 1, "seed": deal_seed(seed, 1).hex()}, {"number": 2, "seed": deal_seed(seed, 2).hex()}],
        "matches": {"17": 2},
    }
    return log, proof


def proven(tmp_path, log, proof):
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof), encoding="utf-8")
    return bare(log, "--tournament", file)


def test_every_golden_log_is_right():
    code, said = bare(*GOLDEN)
    assert code == 0
    assert said.count(": OK, ") == len(GOLDEN) >= 10


@pytest.mark.parametrize("log", GOLDEN, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_every_number_of_chance_is_that_of_the_seed(log, tmp_path, capsys):
    draws = tmp_path / "draws"
    assert run(["verify", str(log), "--draws", str(draws)]) == 0
    capsys.readouterr()
    lines = draws.read_text(encoding="utf-8").splitlines()
    assert all("odds" in json.loads(line) for line in lines)
    code, said = bare(log, "--draws", draws)
    assert (code, f", {len(lines)} plies of chance as the seed gives them" in said) == (0, True)


def test_every_changed_line_is_found(program, tmp_path):
    lines = GOLDEN[0].read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        digits = [at for at, byte in enumerate(line) if chr(byte).isdigit()]
        at = digits[number % len(digits)]
        changed = line[:at] + (b"2" if line[at : at + 1] == b"1" else b"1") + line[at + 1 :]
        with pytest.raises(program["Wrong"]) as wrong:
            program["Log"]([*lines[:number], changed, *lines[number + 1 :]])
        assert str(wrong.value).startswith(f"line {number + 1}: ")


@pytest.mark.parametrize("cut", [0, 1, 5, -1])
def test_missing_lines_are_found(program, cut):
    lines = GOLDEN[0].read_bytes().splitlines(keepends=True)
    with pytest.raises(program["Wrong"]):
        program["Log"](lines[:cut] + lines[cut + 1 :] if cut >= 0 else lines[:cut])


@pytest.mark.parametrize(
    "change",
    [lambda text: text.replace(b'"ply":3,', b'"ply": 3,'), lambda text: text + b"\n", lambda text: b"\xff" + text],
)
def test_another_spelling_is_found(tmp_path, change):
    file = tmp_path / "m.jsonl"
    file.write_bytes(change(GOLDEN[0].read_bytes()))
    code, said = bare(file)
    assert (code, ": WRONG: line " in said) == (1, True)


def test_chance_that_was_changed_with_all_its_hashes_is_found(rated, tmp_path, capsys):
    """The forger computes every hash anew, with another seed in the header: only the numbers give it away."""
    log, _ = rated
    draws = tmp_path / "draws"
    run(["verify", str(log), "--draws", str(draws)])
    capsys.readouterr()
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(reseeded(log.read_bytes(), "00" * 16))
    assert bare(forged)[0] == 0
    code, said = bare(forged, "--draws", draws)
    assert (code, "the seed gives" in said) == (1, True)


def reseeded(content: bytes, seed: str) -> bytes:
    """The log with another seed and all hashes computed anew."""
    from arena.match.entries import End, Header
    from arena.match.log import LogWriter, read_log

    writer = LogWriter()
    for line in read_log(content.splitlines(keepends=True)):
        entry = line.entry
        if isinstance(entry, Header):
            entry = Header(**{name: getattr(entry, name) for name in Header.__slots__} | {"seed": bytes.fromhex(seed)})
        writer.add(End(entry.result) if isinstance(entry, End) else entry)
    return writer.text().encode()


def test_an_action_that_the_number_does_not_stand_for_is_found(program):
    draw = {"label": "die", "n": 6, "number": 4}
    assert program["action_of"]([["low", 3], ["high", 3]], draw) == "high"
    with pytest.raises(program["Wrong"]):
        program["action_of"]([["low", 3], ["high", 2]], draw)


def test_commitment_deals_and_the_logs_seed_are_checked(rated, tmp_path):
    code, said = proven(tmp_path, *rated)
    assert code == 0
    assert "the commitment holds, and 2 deals follow from it" in said
    assert "on the seed of deal 2" in said


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"secret": "ff" * 16}, "not the one that was committed to"),
        ({"commitment": "00" * 32}, "not the one that was committed to"),
        ({"archives": ARCHIVES[:1]}, "deal 1 does not follow"),
        ({"deals": [{"number": 2, "seed": "00" * 16}]}, "deal 2 does not follow"),
        ({"matches": {"17": 1}}, "the log's seed is not that of deal 1"),
        ({"matches": {}}, "match '17' is none of this tournament's"),
        ({"deals": "nonsense"}, "WRONG"),
    ],
)
def test_a_proof_that_does_not_hold_is_found(rated, tmp_path, change, why):
    log, proof = rated
    code, said = proven(tmp_path, log, proof | change)
    assert (code, why in said) == (1, True)


def test_before_the_secret_is_revealed_that_is_said(rated, tmp_path):
    log, proof = rated
    code, said = proven(tmp_path, log, proof | {"secret": ""})
    assert (code, "is not revealed yet" in said) == (0, True)


def test_a_withheld_seed_can_be_given(rated, tmp_path):
    log, proof = rated
    code, said = bare(log, "--seed", "00" * 16)
    assert (code, "is not the one given" in said) == (1, True)
    assert bare(log, "--seed", proof["deals"][1]["seed"])[0] == 0


def test_vectors_of_the_page_hold_for_the_tool_and_for_the_arena(program):
    vectors = re.findall(r"^\| `([0-9a-f]{32})` \| `([^`]*)` \| (\d+) \| (\d+) \|$", PAGE, flags=re.MULTILINE)
    assert len(vectors) >= 5
    for seed, label, n, number in vectors:
        assert program["number_below"](bytes.fromhex(seed), label, int(n)) == int(number)
        assert KeyedStream(bytes.fromhex(seed)).below(int(n), label) == int(number)
    assert bare("number", *vectors[0][:3]) == (0, f"{vectors[0][3]}\n")


def test_the_page_states_vectors_of_a_tournaments_seeds(program):
    """Secret, archives, commitment, tournament seed and deal seeds stand in docs/protocol.md."""
    stated = dict(
        re.findall(
            r"^\| (secret|archives|commitment|tournament seed|seed of deal \d+) \| `([^`]+)` \|$", PAGE, re.MULTILINE
        )
    )
    secret, archives = bytes.fromhex(stated["secret"]), stated["archives"].split()
    assert commitment_of(secret) == stated["commitment"]
    seed = tournament_seed(secret, archives)
    assert seed.hex() == stated["tournament seed"]
    assert deal_seed(seed, 1).hex() == stated["seed of deal 1"]
    deals = [{"number": number, "seed": stated[f"seed of deal {number}"]} for number in (1, 2)]
    proof = {"secret": secret.hex(), "archives": archives, "commitment": stated["commitment"], "deals": deals}
    assert program["check_tournament"](proof)[1].startswith("the commitment holds")


def test_a_compressed_log_says_how_to_unpack_it(tmp_path):
    file = tmp_path / "m.jsonl.zst"
    file.write_bytes(zstandard.compress(GOLDEN[0].read_bytes()))
    code, said = bare(file)
    assert (code, "unpack it with `zstd -d`" in said) == (1, True)


@pytest.mark.parametrize("arguments", [[], ["--draws"], ["a", "b", "--draws", "c"], ["a", "--what", "b"]])
def test_arguments_that_make_no_sense_show_how_it_is_used(arguments):
    assert bare(*arguments)[0] == 2
