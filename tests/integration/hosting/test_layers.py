"""What doctor says of a sandbox that lacks something."""

from __future__ import annotations

import pytest

from arena.hosting import limits
from arena.hosting.layers import _is_whole, probe_layers
from arena.hosting.sandbox import Limits

ALL = limits._values(Limits())


@pytest.mark.parametrize("lacking", [None, "NPROC", "NOFILE", "DATA", "CPU"])
async def test_one_limit_that_is_not_set_is_seen_though_the_arena_itself_has_one(
    monkeypatch: pytest.MonkeyPatch, lacking: str | None
) -> None:
    monkeypatch.setattr(limits, "_values", lambda _: {name: most for name, most in ALL.items() if name != lacking})
    (layer,) = [each for each in await probe_layers() if each.name == "resource limits"]
    assert (layer.required, layer.active) == (True, lacking is None)


def test_a_last_line_that_has_come_in_part_is_waited_for() -> None:
    said = "nested -1\nlimits 64 256 2147483648 3600\n"
    assert [end for end in range(len(said) + 1) if _is_whole(said[:end])] == [len(said)]
