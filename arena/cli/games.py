"""`arena games`: what can be played here."""

from __future__ import annotations

import typer

from arena.cli.human.brief import short_rules
from arena.cli.output import print_json, print_table, say
from arena.core.errors import UsageError
from arena.core.game import AnyGame, GameSpec, Variant
from arena.core.registry import game_ids, load_game


def games(
    game: str | None = typer.Argument(None, metavar="[GAME]", help="Show this game alone."),
    rules: bool = typer.Option(False, "--rules", help="Print the short rules of this game."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """List the installed games, or show one."""
    if rules:
        _print_rules(game, json=json)
        return
    if game is None:
        specs = [load_game(name).spec for name in game_ids()]
        if json:
            print_json([_facts(spec) for spec in specs])
        else:
            rows = [(spec.id, spec.title, _all_seats(spec), _variants(spec)) for spec in specs]
            print_table(("game", "title", "seats", "variants"), rows, piped_width=80)
        return
    found = load_game(game)
    if json:
        print_json(_facts(found.spec) | {"components": found.components(None, "").digest})
    else:
        _show(found)


def _print_rules(game: str | None, *, json: bool) -> None:
    if game is None:
        raise UsageError("--rules needs a game: arena games GAME --rules")
    text = short_rules(load_game(game))
    if not text:
        raise UsageError(f"{game} comes without short rules")
    if json:
        print_json({"game": game, "rules": text})
    else:
        say(text)


def _show(rules: AnyGame) -> None:
    spec = rules.spec
    say(f"{spec.title} ({spec.id}), rules version {spec.rules_version}")
    say(f"clock       {spec.clock}")
    say(f"components  {rules.components(None, '').digest[:16]}")
    say(f"actions     {len(rules.actions)}")
    if short_rules(rules):
        say(f"rules       arena games {spec.id} --rules")
    rows = [(one.id, one.title, _seats(one), "yes" if one.draws else "no") for one in spec.variants]
    print_table(("variant", "title", "seats", "draws"), rows)


def _facts(spec: GameSpec) -> dict[str, object]:
    return {
        "game": spec.id,
        "title": spec.title,
        "rules_version": spec.rules_version,
        "clock": spec.clock,
        "variants": [
            {
                "variant": one.id,
                "title": one.title,
                "min_seats": one.min_seats,
                "max_seats": one.max_seats,
                "draws": one.draws,
            }
            for one in spec.variants
        ],
    }


def _seats(variant: Variant) -> str:
    low, high = variant.min_seats, variant.max_seats
    return str(low) if low == high else f"{low}-{high}"


def _all_seats(spec: GameSpec) -> str:
    low = min(one.min_seats for one in spec.variants)
    high = max(one.max_seats for one in spec.variants)
    return str(low) if low == high else f"{low}-{high}"


def _variants(spec: GameSpec) -> str:
    return ", ".join(one.id for one in spec.variants)
