"""docs/threat-model.md names tests and probes that exist, and leaves out no probe."""

import re
from pathlib import Path

import pytest

from arena.hosting.attack import PROBES

REPOSITORY = Path(__file__).resolve().parents[3]
TEXT = (REPOSITORY / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED_TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT)))
NAMED_PROBES = {
    name for group in re.findall(r"probes? ((?:`[^`]+`(?:, )?)+)", TEXT) for name in re.findall(r"`([^`]+)`", group)
}


@pytest.mark.parametrize(("file", "name"), NAMED_TESTS, ids=lambda value: value)
def test_a_named_test_exists(file, name) -> None:
    text = (REPOSITORY / file).read_text(encoding="utf-8")
    assert not name or re.search(rf"^(async )?def {name}\(", text, re.MULTILINE)


def test_every_probe_is_named_and_every_named_one_exists() -> None:
    known = {probe.name for probe in PROBES} | {"leftovers", "door"}
    probes = {name for name in NAMED_PROBES if not name.startswith("tests/")}
    assert probes == known


def test_every_threat_names_what_answers_it() -> None:
    rows = [line for line in TEXT.partition("## Threats")[2].partition("## What is not")[0].splitlines() if "|" in line]
    threats = [row for row in rows if not row.startswith(("| threat", "|---"))]
    assert len(threats) > 30
    assert [row for row in threats if "probe" not in row and "tests/" not in row] == []
