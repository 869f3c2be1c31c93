#!/usr/bin/env python3
"""Checks match logs of the arena with nothing but Python's standard library; runs as `python3 -I -S verify_log.py`.

It is written from docs/protocol.md and shares no line with the arena, so that a doubt about one is a doubt about one.
What it checks:

- every line is written in the one allowed way, and its hash, its check and the digest of the file fit;
- with --draws (made by `arena verify LOG --draws FILE`): every number of chance is the one that the seed gives for its
  label, and the action in the log is the one that this number stands for;
- with --tournament (the proof.json of `arena tournament export`): the secret is the one committed to before entry
  closed, the deals' seeds follow from it and from the archives entered, and each log was played on its deal's seed.

It does not know the rules: whether actions were legal and ranks are right says `arena verify`.

    verify_log.py LOG... [--draws FILE] [--tournament FILE] [--seed HEX]
    verify_log.py number SEED LABEL N        the number of chance below N for a seed and a label

Exit code: 0 all is well, 1 something is not, 2 usage.
"""

import json
import sys
from hashlib import blake2b, sha256
from pathlib import Path

FIELDS = {
    "header": "kind log game variant rules components components_text clock seed seats unsafe",
    "ply": "kind ply actor action",
    "forfeit": "kind ply seats",
    "result": "kind plies end seat_ends ranks scores reason",
}
UNRATED = ("VOID", "ABORTED")


class Wrong(Exception):
    """Something does not fit; the text says what."""


def number_below(seed, label, n):
    """Return the number of chance below n that belongs to a seed (16 bytes) and a label."""
    counter = 0
    while True:
        text = label.encode("utf-8") + counter.to_bytes(4, "little")
        drawn = int.from_bytes(blake2b(text, key=seed, digest_size=8).digest(), "little")
        if drawn < 2**64 // n * n:
            return drawn % n
        counter += 1


def written(value):
    """Return JSON the way a log has it."""
    return json.dumps(value, separators=(",", ":"))


class Log:
    """A log whose form, hashes and digest are right; plies: actions by number, chance: numbers of those of chance."""

    def __init__(self, lines):
        self.header = {}
        self.actions = {}
        self.chance = []
        self.result = None
        self._link = ""
        self._whole = sha256()
        number = 0
        for number, raw in enumerate(lines, 1):
            try:
                self._take(raw, number)
            except Wrong as wrong:
                raise Wrong(f"line {number}: {wrong}") from None
        if self.result is None:
            raise Wrong(f"the log ends after line {number}, before its result")

    def _take(self, raw, number):
        if self.result is not None:
            raise Wrong("there is a line after the result")
        try:
            text = raw.decode("ascii")
            line = json.loads(text)
            kind = line["kind"]
            fields = FIELDS[kind].split()
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Wrong("this is no line of a log") from None
        if (kind == "header") != (number == 1):
            raise Wrong("a log has one header, its first line")
        if "auto" in line and kind == "ply":
            fields.append("auto")
        fields += ["h", *(["meta"] if "meta" in line else [])]
        if list(line) != fields or text != written(line) + "\n":
            raise Wrong("the line is not written the way the arena writes it")
        self._check_hashes(line, kind)
        self._check_facts(line, kind)

    def _check_hashes(self, line, kind):
        meta = dict(line.get("meta", {}))
        facts = {name: value for name, value in line.items() if name not in ("h", "meta")}
        link = blake2b((self._link + written(facts)).encode(), digest_size=8).hexdigest()
        if line["h"] != link:
            raise Wrong("the hash h does not fit: the line or one before it was changed")
        bare = written({**facts, "h": link}) + "\n"
        if kind == "result":
            self._whole.update(bare.encode())
            if meta != {"digest": self._whole.hexdigest()}:
                raise Wrong("the digest does not fit the file")
        elif meta:
            check = meta.pop("check", None)
            if check != blake2b((link + written(meta)).encode(), digest_size=4).hexdigest():
                raise Wrong("the check does not fit: a time or a date was changed")
        self._link = link
        self._whole.update((written(line) + "\n").encode())

    def _check_facts(self, line, kind):
        if kind == "header":
            self._take_header(line)
        elif kind == "ply":
            if line["ply"] != len(self.actions):
                raise Wrong(f"ply {line['ply']} stands where ply {len(self.actions)} belongs")
            self.actions[line["ply"]] = line["action"]
            if line["actor"] == "chance":
                self.chance.append(line["ply"])
            elif line["actor"] not in range(len(self.header["seats"])):
                raise Wrong(f"there is no seat {line['actor']!r}")
        elif kind == "result":
            if line["plies"] != len(self.actions):
                raise Wrong(f"the result counts {line['plies']} plies, the log has {len(self.actions)}")
            seats = len(self.header["seats"])
            if not seats == len(line["ranks"]) == len(line["seat_ends"]) == len(line["scores"]):
                raise Wrong("the result is one for another number of seats")
            if (line["end"] in UNRATED) == all(line["ranks"]):
                raise Wrong(f"ranks {line['ranks']} do not go with {line['end']}")
            self.result = line

    def _take_header(self, line):
        if line["log"] != 1:
            raise Wrong(f"log version {line['log']!r} is unknown here; this program reads version 1")
        if not isinstance(line["seats"], list) or not line["seats"]:
            raise Wrong("nobody plays")
        self.header = line


def seed_of(log, given):
    """Return the seed of a log, that of the header or the one given; None if there is neither."""
    stated = log.header["seed"]
    if stated is not None and given is not None and stated != given.lower():
        raise Wrong("the seed in the header is not the one given")
    text = stated if stated is not None else given
    if text is None:
        return None
    try:
        seed = bytes.fromhex(text)
    except (ValueError, TypeError):
        seed = b""
    if len(seed) != 16:
        raise Wrong(f"{text!r} is no seed of 32 hex digits")
    return seed


def check_draws(log, seed, lines):
    """Check the numbers of every ply of chance. lines: the file made by `arena verify LOG --draws FILE`."""
    if seed is None:
        raise Wrong("the log carries no seed; give it with --seed")
    told = []
    for line in lines:
        entry = json.loads(line)
        ply, action = entry["ply"], log.actions.get(entry["ply"])
        told.append(ply)
        for draw in entry["draws"]:
            number = number_below(seed, draw["label"], draw["n"])
            if number != draw["number"]:
                raise Wrong(f"ply {ply}: the seed gives {number} for {draw['label']!r}, not {draw['number']}")
        if "odds" in entry:
            meant = action_of(entry["odds"], entry["draws"][0])
            if meant != action:
                raise Wrong(f"ply {ply}: the seed gives {meant!r}, the log says {action!r}")
    if told != log.chance:
        raise Wrong("the draws are not those of the plies of chance in this log")
    return len(told)


def action_of(odds, draw):
    """Return the action that a number stands for; odds: [action, how many numbers], in order."""
    if sum(count for _, count in odds) != draw["n"]:
        raise Wrong(f"the odds of {draw['label']!r} are not odds in {draw['n']}")
    left = draw["number"]
    for action, count in odds:
        if left < count:
            return action
        left -= count
    raise Wrong(f"{draw['number']} is not below {draw['n']}")


def check_tournament(proof):
    """Check commitment and deals of a proof, and return the deals' seeds by number, and what is to be told."""
    seeds = {deal["number"]: bytes.fromhex(deal["seed"]) for deal in proof["deals"] if deal["seed"]}
    if not proof["secret"]:
        return seeds, "the secret is not revealed yet: that the seeds follow from the commitment cannot be checked"
    secret = bytes.fromhex(proof["secret"])
    if sha256(b"whiteout commitment" + secret).hexdigest() != proof["commitment"]:
        raise Wrong("the secret is not the one that was committed to")
    entered = sorted(bytes.fromhex(archive) for archive in proof["archives"])
    tournament = sha256(b"whiteout tournament" + secret + b"".join(entered)).digest()[:16]
    for number, seed in sorted(seeds.items()):
        if sha256(b"whiteout deal" + tournament + number.to_bytes(4, "big")).digest()[:16] != seed:
            raise Wrong(f"the seed of deal {number} does not follow from the secret and the archives entered")
    return seeds, f"the commitment holds, and {len(seeds)} deal{'s' * (len(seeds) != 1)} follow from it"


def check_deal(log, seed, proof, seeds):
    """Check that a log was played on the seed of its deal."""
    match = log.header.get("meta", {}).get("match")
    deal = proof.get("matches", {}).get(match)
    if deal is None:
        raise Wrong(f"match {match!r} is none of this tournament's open ones")
    if seed is None or seeds.get(deal) != seed:
        raise Wrong(f"the log's seed is not that of deal {deal}")


def read_options(arguments):
    """Return the logs, and the options by name."""
    logs, options, rest = [], {}, list(arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            logs.append(word)
        elif word[2:] in ("draws", "tournament", "seed") and rest:
            options[word[2:]] = rest.pop(0)
        else:
            raise ValueError(word)
    if not logs or ("draws" in options and len(logs) > 1):
        raise ValueError(arguments)
    return logs, options


def check_log(path, options, proof, seeds):
    """Check one log and return what to tell."""
    with Path(path).open("rb") as file:
        if file.read(4) == b"\x28\xb5\x2f\xfd":
            raise Wrong("the file is compressed; unpack it with `zstd -d`")
        file.seek(0)
        log = Log(file)
    seed = seed_of(log, options.get("seed"))
    said = f"{log.header['game']}, {log.result['plies']} plies, {log.result['end']}"
    if "draws" in options:
        with Path(options["draws"]).open("rb") as file:
            said += f", {check_draws(log, seed, file)} plies of chance as the seed gives them"
    if proof is not None:
        check_deal(log, seed, proof, seeds)
        said += f", on the seed of deal {proof['matches'][log.header['meta']['match']]}"
    return said


def main(arguments):
    """Run the program and return its exit code."""
    if len(arguments) == 4 and arguments[0] == "number":
        print(number_below(bytes.fromhex(arguments[1]), arguments[2], int(arguments[3])))
        return 0
    try:
        logs, options = read_options(arguments)
    except ValueError:
        print(__doc__, file=sys.stderr)
        return 2
    proof, seeds, code = None, {}, 0
    try:
        if "tournament" in options:
            proof = json.loads(Path(options["tournament"]).read_text(encoding="utf-8"))
            seeds, said = check_tournament(proof)
            print(f"{options['tournament']}: {said}")
    except (Wrong, OSError, ValueError, KeyError, TypeError) as wrong:
        print(f"{options['tournament']}: WRONG: {wrong}")
        return 1
    for path in logs:
        try:
            print(f"{path}: OK, {check_log(path, options, proof, seeds)}")
        except (Wrong, OSError, ValueError, KeyError, TypeError) as wrong:
            print(f"{path}: WRONG: {wrong}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
