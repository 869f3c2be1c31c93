"""The state of a game of Frost Shelter: who decides what, and what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from arena.core import CHANCE, Actor, Outcome
from arena.core.errors import IllegalAction
from arena.games.frost_shelter import deal, payment, purchases, resolution, trick
from arena.games.frost_shelter.actions import DECLINE, Action, PlayCard
from arena.games.frost_shelter.components import EventCard, FrostShelterComponents
from arena.games.frost_shelter.payment import Bill
from arena.games.frost_shelter.phases import Node, Phase, What


class State:
    """The whole truth of a running game.

    Sets of cards are integers: bit n stands for card n. Lists by seat unless said otherwise. A card lies in a hand, in
    a colony, on the table (the trick), in the pool, among the spent ones, or was not dealt.
    """

    __slots__ = (
        "bill",
        "colonies",
        "components",
        "damage",
        "deals",
        "event",
        "excess",
        "expeditions",
        "hands",
        "head",
        "hurt",
        "kit",
        "last",
        "leader",
        "left",
        "legal",
        "options_used",
        "order",
        "outcome",
        "pending",
        "phase",
        "pool",
        "pos",
        "relic",
        "relics",
        "revealed",
        "seats",
        "since",
        "spent",
        "table",
        "to_act",
        "trick",
        "winner",
    )

    def __init__(self, seats: int, components: FrostShelterComponents | None) -> None:
        """Begin before anything is drawn; without components leave all to copy(), the only way mypyc allows."""
        if components is None:
            return
        self.components: FrostShelterComponents = components
        self.seats: int = seats
        self.phase: Phase = Phase.FIRST_LEADER
        self.to_act: Actor | None = CHANCE
        self.outcome: Outcome | None = None
        # The legal actions of this ply once somebody asked.
        self.legal: tuple[Action, ...] | None = None
        # The cards that may be dealt next, kept from deal to deal; None unless hands are being dealt.
        self.deals: tuple[Action, ...] | None = None
        # Event cards so far, as places in the component file; Relic cards so far; both as revealed.
        self.revealed: tuple[int, ...] = ()
        self.relics: tuple[int, ...] = ()
        self.event: EventCard | None = None
        # The Relic as Harpoons left it; -1 before the first.
        self.relic: int = -1
        # Leader of the trick; between Events the winner of the last one; -1 before the first.
        self.leader: int = -1
        # Who won the trick whose cards are being taken, else -1.
        self.winner: int = -1
        self.hands: list[int] = [0] * seats
        self.colonies: list[int] = [0] * seats
        self.damage: list[int] = [0] * seats
        # Pieces held: place 3 x seat + piece.
        self.kit: list[int] = [0] * (3 * seats)
        self.table: int = 0
        self.pool: int = 0
        self.spent: int = 0
        # Cards of the current trick in playing order, starting with the leader's.
        self.trick: tuple[PlayCard, ...] = ()
        # Sets of seats: who used the Expedition card, who took damage in this Event.
        self.expeditions: int = 0
        self.hurt: int = 0
        # Cards the acting seat may or must still take.
        self.left: int = 0
        # Places of the current round of asking, or cards of the deal, that came before.
        self.pos: int = 0
        # Who may buy, in order.
        self.order: tuple[int, ...] = ()
        # Of the seat that resolves now: defence options used (a set), cards too many, damage not prevented.
        self.options_used: int = 0
        self.excess: int = 0
        self.pending: int = 0
        self.bill: Bill | None = None
        # Happenings: all; up to before the last ply; up to before each seat's last ply.
        self.head: Node | None = None
        self.last: Node | None = None
        self.since: list[Node | None] = [None] * seats

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the actor may do now, or what chance may bring; nothing once the game is over."""
        legal = self.legal
        if legal is None:
            legal = self.legal = STEPS[self.phase].legal(self)
        return legal

    def apply(self, action: object) -> None:
        """Make the ply and skip what leaves nothing to decide. Raises IllegalAction, the state unchanged."""
        legal = self.legal_actions()
        for known in legal:
            # Comparing identities is several times quicker than comparing values, and nearly always enough.
            if known is action:
                break
        else:
            known = _equal(self, action)
        before = self.last = self.head
        seat = self.to_act
        if seat is CHANCE:
            self.head = (before, (What.PLY, deal.receiver(self), known))
        else:
            assert seat is not None  # noqa: S101 - somebody acts while anything is legal
            self.since[seat] = before
            # That a seat declined says nothing without what.
            happening = (What.DECLINED, seat, self.phase) if known is DECLINE else (What.PLY, seat, known)
            self.head = (before, happening)
        self.legal = None
        STEPS[self.phase].apply(self, known)

    def copy(self) -> State:
        """Return an independent copy."""
        twin = State(self.seats, None)
        twin.components = self.components
        twin.seats = self.seats
        twin.phase = self.phase
        twin.to_act = self.to_act
        twin.outcome = self.outcome
        twin.legal = self.legal
        twin.deals = self.deals
        twin.revealed = self.revealed
        twin.relics = self.relics
        twin.event = self.event
        twin.relic = self.relic
        twin.leader = self.leader
        twin.winner = self.winner
        twin.hands = self.hands[:]
        twin.colonies = self.colonies[:]
        twin.damage = self.damage[:]
        twin.kit = self.kit[:]
        twin.table = self.table
        twin.pool = self.pool
        twin.spent = self.spent
        twin.trick = self.trick
        twin.expeditions = self.expeditions
        twin.hurt = self.hurt
        twin.left = self.left
        twin.pos = self.pos
        twin.order = self.order
        twin.options_used = self.options_used
        twin.excess = self.excess
        twin.pending = self.pending
        twin.bill = self.bill
        twin.head = self.head
        twin.last = self.last
        twin.since = self.since[:]
        return twin

    def enter(self, phase: Phase) -> None:
        """Go on with a phase; it asks somebody, or passes on where there is nothing to decide."""
        STEPS[phase].enter(self)

    def ask(self, phase: Phase, actor: Actor) -> None:
        """Let the next ply be this actor's, in this phase."""
        self.phase = phase
        self.to_act = actor

    def record(self, what: What, seat: int, amount: int) -> None:
        """Keep a happening that follows from the ply."""
        self.head = (self.head, (what, seat, amount))

    def undealt(self) -> int:
        """Return the cards that are in nobody's hand and were never seen in this Event."""
        seen = self.table | self.pool | self.spent
        for hand, colony in zip(self.hands, self.colonies, strict=True):
            seen |= hand | colony
        return self.components.deck & ~seen

    def row(self, piece: int) -> int:
        """Return how many of this piece lie in the row."""
        return self.components.equipment[piece].pieces - sum(self.kit[piece::3])

    def after_leader(self, seat: int) -> int:
        """Return a seat's place clockwise after the last Leader, who comes last (ruling 6)."""
        return (seat - self.leader - 1) % self.seats


def _equal(state: State, action: object) -> Action:
    for known in state.legal_actions():
        if known == action:
            return known
    raise IllegalAction(f"{action!r} is not legal in the phase {state.phase.name}")


class Step(NamedTuple):
    """A phase: how it starts or goes on, what may be done in it, and what doing it brings about."""

    enter: Callable[[State], None]
    legal: Callable[[State], tuple[Action, ...]]
    apply: Callable[[State, Any], None]


def _nothing(_state: State) -> None:
    """Do nothing: no phase leads here."""


def _no_actions(_state: State) -> tuple[Action, ...]:
    return ()


def _no_ply(_state: State, _action: Action) -> None:
    """Do nothing: without legal actions there is no ply."""


STEPS: Final[dict[Phase, Step]] = {
    Phase.FIRST_LEADER: Step(_nothing, deal.first_leaders, deal.set_first_leader),
    Phase.EQUIPMENT: Step(_nothing, deal.first_pieces, deal.give_piece),
    Phase.EVENT: Step(deal.next_event, deal.coming_events, deal.reveal_event),
    Phase.RELIC: Step(_nothing, deal.coming_relics, deal.reveal_relic),
    Phase.DEAL: Step(_nothing, deal.coming_cards, deal.give_card),
    Phase.LEADER: Step(deal.ask_leader, deal.possible_leaders, deal.set_leader),
    Phase.HARPOON: Step(trick.ask_harpoons, trick.harpoons, trick.use_harpoon),
    Phase.PLAY: Step(trick.open_trick, trick.plays, trick.play),
    Phase.TAKE: Step(trick.ask_winner, trick.winnings, trick.take_winnings),
    Phase.EXPEDITION: Step(trick.ask_expeditions, trick.picks, trick.pick),
    Phase.CHEST: Step(resolution.begin, resolution.chests, resolution.use_chest),
    Phase.DEFENCE: Step(resolution.ask_defence, resolution.defences, resolution.defend),
    Phase.TARP: Step(_nothing, resolution.tarps, resolution.use_tarp),
    Phase.INFIRMARY: Step(resolution.ask_infirmary, resolution.treatments, resolution.heal),
    Phase.PURCHASE: Step(purchases.ask_buyer, purchases.offers, purchases.buy),
    Phase.PAYMENT: Step(payment.settle, payment.payments, payment.pay_one),
    Phase.OVER: Step(_nothing, _no_actions, _no_ply),
}
