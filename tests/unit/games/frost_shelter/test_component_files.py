"""Wrong component files on the command line: one line with file, field and reason; exit code 2; nothing is played."""

import pytest

from arena.cli.main import run
from arena.games.frost_shelter.reading import own_text

OWN = own_text()
EVENTS = OWN[OWN.index("[[events.card]]") :]


def changed(old, new):
    assert old in OWN
    return OWN.replace(old, new, 1)


def without(group, following):
    return OWN[: OWN.index(f"[{group}]")] + OWN[OWN.index(f"[{following}]") :]


WRONG = {
    "a missing group": (without("winnings", "resources"), ": winnings: is missing"),
    "a missing field": (changed("hibernation = 4", "#"), ": course.hibernation: is missing"),
    "a missing number of players": (changed("4 = 8\n", ""), ": hands.4: is missing"),
    "a text for a number": (changed("frost_bite = 2", 'frost_bite = "two"'), ": course.frost_bite: must be a whole"),
    "a truth value for a number": (changed("heals = 1", "heals = true"), ": infirmary.heals: must be a whole number"),
    "a fraction": (changed("heals = 1", "heals = 1.0"), ": infirmary.heals: must be a whole number from 1 to 99"),
    "a date": (changed("heals = 1", "heals = 2026-11-30"), ": infirmary.heals: must be a whole number from 1 to 99"),
    "a number for a text": (changed('name = "Fever"', "name = 5"), ": events.card[5].name: must be a name"),
    "a text for a list": (changed('["same", "same"]', '"same"'), ": equipment.tarp.cost: must be a list, not 'same'"),
    "a number for a group": (
        "infirmary = 3\n" + without("infirmary", "hands"),
        ": infirmary: must be a table with status, heals, cost",
    ),
    "a negative number": (changed("damage = 10", "damage = -1"), ": events.card[0].damage: must be a whole number"),
    "a number of 4000 digits": (changed("damage = 10", f"damage = {'9' * 4000}"), ": events.card[0].damage: must be"),
    "a number of 40000 digits": (changed("damage = 10", f"damage = {'9' * 40_000}"), ": file: is no TOML: "),
    "hands larger than the deck": (changed("5 = 7", "5 = 9"), ": hands.5: must be a whole number from 1 to 8, not 9"),
    "winnings larger than a trick": (changed("4 = 2", "4 = 5"), ": winnings.4: must be a whole number from 1 to 4"),
    "two equal cards": (changed("fuel = [1, 2", "fuel = [2, 2"), ": resources.fuel: must be ascending"),
    "too many values": (changed("fuel = [1, 2", "fuel = [1, 1, 2"), ": resources.fuel: must have 0 to 10 entries"),
    "too many Events": (OWN + 3 * EVENTS, ": events.card: must have 3 to 24 entries, not 32"),
    "two Events of one name": (changed('"Fever"', '"Famine"'), ": events.card: each card must have a name of its own"),
    "too few Relic cards": (
        changed("fuel = 1\nwater = 1", "fuel = 0\nwater = 0"),
        ": relics: 3 Relic cards are needed",
    ),
    "an unknown field": (changed("heals = 1", "heals = 1\nbeds = 1"), ": infirmary.beds: is unknown; there are status"),
    "an unknown group": ("[weather]\n" + OWN, ": weather: is unknown; there are course"),
    "an unknown field in two lines": (
        changed("heals = 1", 'heals = 1\n"a\\nb" = 1'),
        r": 'infirmary.a\nb': is unknown",
    ),
    "an unknown resource": (changed('["food"]', '["ice"]'), ": events.card[0].options[1].cost[0]: must be one of fuel"),
    "an unknown status": (
        changed('status = "published"', 'status = "guessed"'),
        ": course.status: must be one of published, known",
    ),
    "a price that cannot be": (changed('["same", "same"]', '["same", "any"]'), ": equipment.tarp.cost: "),
    "a field written twice": (changed("heals = 1", "heals = 1\nheals = 2"), ": file: is no TOML: "),
    "no TOML": ("Blizzard: 10 damage\n", ": file: is no TOML: "),
    "JSON": ('{"course": {}}', ": file: is no TOML: "),
    "lists without end": ("course = " + "[" * 9000, ": file: is no TOML: "),
    "an empty file": ("", ": course: is missing"),
    "an empty line": ("\n", ": course: is missing"),
    "zero bytes": ("\x00" * 20, ": file: is no TOML: "),
    "a huge file": (OWN + "# and so on\n" * 100_000, ": file: is longer than 65536 characters"),
    "binary": (bytes(range(256)), " cannot be read: it is no text in UTF-8"),
    "another alphabet": (OWN.encode("utf-16"), " cannot be read: it is no text in UTF-8"),
}


def refused(file, capsys):
    code = run(["play", "frost-shelter", "random", "random", "--in-process", "--seed", "1", "--components", str(file)])
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert said.err.startswith(f"error: {file}")
    assert said.err.count("\n") == 1
    assert len(said.err) < len(str(file)) + 250
    return said.err.removeprefix(f"error: {file}")


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_file_is_refused_in_one_line(fault, tmp_path, capsys):
    content, reason = WRONG[fault]
    file = tmp_path / "mine.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert refused(file, capsys).startswith(reason)


def test_a_file_that_is_not_there_is_refused_in_one_line(tmp_path, capsys):
    assert refused(tmp_path / "none.toml", capsys) == " cannot be read: No such file or directory\n"


def test_a_folder_is_refused_in_one_line(tmp_path, capsys):
    assert refused(tmp_path, capsys) == " cannot be read: Is a directory\n"


@pytest.mark.parametrize("text", [OWN.replace("\n", "\r\n"), "\ufeff" + OWN])
def test_a_file_written_on_another_system_is_played_and_verified(text, tmp_path, capsys):
    file, log = tmp_path / "mine.toml", tmp_path / "m.jsonl"
    file.write_bytes(text.encode())
    play = ["play", "frost-shelter", "random", "random", "--in-process", "--seed", "1"]
    assert run([*play, "--components", str(file), "--log", str(log)]) == 0
    assert run(["verify", str(log)]) == 0
    assert capsys.readouterr().err == ""


def test_the_numbers_of_another_box_decide_the_match(tmp_path, capsys):
    """What RULES.md tells an owner of the box to do: copy the file, put the printed numbers in, play."""
    file, log = tmp_path / "mine.toml", tmp_path / "m.jsonl"
    file.write_text(changed("2 = 10", "2 = 6").replace("reconstructed", "printed"), encoding="utf-8")
    play = ["play", "frost-shelter", "random", "random", "--in-process", "--seed", "1"]
    assert run([*play, "--components", str(file), "--log", str(log)]) == 0
    assert run(["verify", str(log)]) == 0
    assert log.read_text(encoding="utf-8").count("deal ") == 3 * 2 * 6
    capsys.readouterr()
