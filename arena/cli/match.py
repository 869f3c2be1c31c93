"""`arena match`: blocks of matches on this machine, with statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.matchoptions import ClockNotation, ComponentFile, InProcess, Json, Seed, Unsafe, Variant
from arena.cli.output import Interrupted, counted, note, print_json, print_table, progress, say
from arena.cli.playing import Job, open_table
from arena.cli.resuming import Again
from arena.cli.sequential import MOST_BLOCKS, Sequential, read_sequential
from arena.cli.series import LegKey, Series, recorded_seed
from arena.cli.setting import Setting, read_setting
from arena.ladder.pairing import cyclic_orders
from arena.ladder.seeds import deal_seed
from arena.ladder.stats import BlockStats, EntrantStats, Estimate
from arena.ladder.versus import Versus
from arena.match.result import SeatEnd


def match(
    bots: Annotated[list[str], typer.Argument(metavar="BOT BOT...", help="Built-in names or folders, one a seat.")],
    game: Annotated[str, typer.Option("--game", metavar="G", help="The game, as `arena games` names it.")],
    variant: Variant = None,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks", min=1, max=100_000, help="Deals to play, each in all seat orders; 10, or for --sprt most."
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="LOW,HIGH", help="Stop when it is clear which Elo difference fits better."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="How often --sprt may say HIGH where LOW is true; 0.05.")
    ] = None,
    beta: Annotated[
        float | None, typer.Option("--beta", help="How often --sprt may say LOW where HIGH is true; 0.05.")
    ] = None,
    seed: Seed = None,
    clock: ClockNotation = None,
    components: ComponentFile = None,
    first_block: Annotated[int, typer.Option("--first-block", min=1, help="Leave out the blocks before this.")] = 1,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Keep results here; what is in it is not played again."),
    ] = None,
    in_process: InProcess = False,
    unsafe: Unsafe = False,
    json: Json = False,
) -> None:
    """Play blocks of matches on this machine and print each bot's share of the points.

    A block is one deal played in every cyclic seat order. Shares and ranks are means over blocks, with 95 % intervals.
    """
    sequential = read_sequential(sprt, alpha, beta, entrants=len(bots), first=first_block)
    last = blocks or (10 if sequential is None else max(MOST_BLOCKS, first_block))
    setting = read_setting(
        game,
        bots,
        variant=variant,
        seed=seed or (recorded_seed(record) if record is not None else None),
        clock=clock,
        components=components,
        in_process=in_process,
        unsafe=unsafe,
    )
    series = Series(setting, record)
    again = Again(setting, tuple(bots), clock, components, sequential, record, json)
    try:
        _play(setting, series, first_block, last, sequential)
    except KeyboardInterrupt:
        _tell(setting, series, sequential, json=json)
        raise Interrupted(again.after_interrupt(series, first_block, last)) from None
    _tell(setting, series, sequential, json=json)
    if sequential is not None and not sequential.follow(series):
        note(f"to go on: {again.command(first_block, 2 * last)}")


def _play(setting: Setting, series: Series, first: int, last: int, sequential: Sequential | None) -> None:
    """Play every leg that the series does not have yet, or until the sequential test is decided."""
    if sequential is not None and sequential.follow(series):
        return
    keys = [key for key in _leg_keys(len(setting.bots), first, last) if not series.has(key)]
    pending = {f"{key.block}-{key.leg}": key for key in keys}
    with progress("matches", len(keys)) as bar, open_table(setting) as table:
        jobs = (_job(setting, match_id, key) for match_id, key in pending.items())
        for played in table.play_each(jobs):
            key = pending[played.job.setup.match_id]
            series.add(key, played.result)
            bar.advance(f"block {key.block}")
            for seat, end in enumerate(played.result.seat_ends):
                if end is not SeatEnd.PLAYED:
                    name = series.names[key.seats[seat]]
                    why = f": {played.seats[seat].note}" if played.seats[seat].note else ""
                    note(f"block {key.block}, leg {key.leg + 1}: {name} (seat {seat}) {end}{why}")
            if sequential is not None and sequential.follow(series):
                return


def _leg_keys(entrants: int, first: int, last: int) -> Iterator[LegKey]:
    for block in range(first, last + 1):
        orders = cyclic_orders(tuple(range(entrants)), mirrored=block % 2 == 0)
        for leg, seats in enumerate(orders):
            yield LegKey(block, leg, seats)


def _job(setting: Setting, match_id: str, key: LegKey) -> Job:
    bots = tuple(setting.bots[entrant] for entrant in key.seats)
    return Job(setting.setup(bots, deal_seed(setting.seed, key.block), match_id), bots)


def _tell(setting: Setting, series: Series, sequential: Sequential | None, *, json: bool) -> None:
    stats = series.stats()
    if json:
        facts = {**_facts(setting, series, stats), **_pair_facts(series.comparison())}
        print_json(facts if sequential is None else {**facts, "sprt": sequential.facts()})
        return
    blocks = f"{counted(stats.counted, 'block')} of {counted(len(series.names), 'match')}"
    say(f"{setting.game.spec.title} ({setting.variant.id}), seed {setting.seed_text}: {blocks}")
    if stats.left_out:
        say(f"{stats.left_out} more with a forfeit or without a result, not counted")
    if stats.ties:
        say(f"ties: {stats.ties:.1%} of neighbouring places are shared")
    if stats.entrants:
        print_table(
            ("bot", "points", "95 % interval", "mean rank", "95 % interval", "forfeits"),
            [_row(series, entrant, entry) for entrant, entry in enumerate(stats.entrants)],
        )
    compared = series.comparison()
    if compared is not None:
        elo = compared.elo
        say(
            f"{series.names[0]} against {series.names[1]}: {elo.mean:+.0f} Elo ({elo.low:+.0f} to {elo.high:+.0f}),"
            f" likelihood of superiority {compared.superiority:.1%}"
        )
    if sequential is not None:
        say(sequential.words())


def _row(series: Series, entrant: int, entry: EntrantStats) -> tuple[object, ...]:
    share, rank = entry.points, entry.rank
    return (
        series.names[entrant],
        f"{share.mean:.1%}",
        f"{share.low:.1%} to {share.high:.1%}",
        rank.mean,
        f"{rank.low:.2f} to {rank.high:.2f}",
        _forfeits(series, entrant),
    )


def _forfeits(series: Series, entrant: int) -> int:
    return sum(count for end, count in series.ends[entrant].items() if end is not SeatEnd.PLAYED)


def _facts(setting: Setting, series: Series, stats: BlockStats) -> dict[str, object]:
    return {
        "game": setting.game.spec.id,
        "variant": setting.variant.id,
        "seed": setting.seed_text,
        "blocks": stats.counted,
        "left_out": stats.left_out,
        "ties": stats.ties,
        "bots": [
            {
                "bot": name,
                "points_share": _estimate(stats.entrants[entrant].points) if stats.entrants else None,
                "mean_rank": _estimate(stats.entrants[entrant].rank) if stats.entrants else None,
                "saved_by_blocks": stats.entrants[entrant].saved if stats.entrants else None,
                "ends": {end.value: count for end, count in sorted(series.ends[entrant].items())},
            }
            for entrant, name in enumerate(series.names)
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}


def _pair_facts(compared: Versus | None) -> dict[str, object]:
    if compared is None:
        return {}
    # JSON knows no infinity: an end that nothing bounds is null.
    elo = {name: value if math.isfinite(value) else None for name, value in _estimate(compared.elo).items()}
    results = {"wins": compared.wins, "ties": compared.ties, "losses": compared.losses}
    pair = {**results, "elo": elo, "superiority": compared.superiority, "saved_by_blocks": compared.saved}
    return {"first_against_second": pair}
