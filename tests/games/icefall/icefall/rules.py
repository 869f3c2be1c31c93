"""The rules of Icefall: deal, choose in secret, turn up, climb or slip."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from arena.core import CHANCE, ActionTable, Actor, Outcome, Seat
from arena.core.errors import IllegalAction
from icefall.components import CARDS, IcefallComponents


@dataclass(frozen=True, slots=True)
class Deal:
    """Chance gives the next seat in need this card."""

    card: int


@dataclass(frozen=True, slots=True)
class Roll:
    """Chance's die, 1 to 6."""

    face: int


@dataclass(frozen=True, slots=True)
class Play:
    """A seat's secret choice: a card, or 0 to hold."""

    card: int


Action = Deal | Roll | Play
HOLD = Play(0)
DEALS = tuple(Deal(card) for card in range(1, CARDS + 1))
ROLLS = tuple(Roll(face) for face in range(1, 7))
PLAYS = (HOLD, *(Play(card) for card in range(1, CARDS + 1)))


def notation(action: Action) -> str:
    """Write an action as it stands in a log."""
    if isinstance(action, Deal):
        return f"deal {action.card}"
    if isinstance(action, Roll):
        return f"roll {action.face}"
    return f"play {action.card}" if action.card else "hold"


ACTIONS: ActionTable[Action] = ActionTable([*DEALS, *ROLLS, *PLAYS], notation)


class Phase(IntEnum):
    """What happens next; the numbers are those of the wire."""

    DEAL = 1
    FORECAST = 2
    CHOOSE = 3
    ICEFALL = 4
    OVER = 5


class EventKind(IntEnum):
    """What has happened; the numbers are those of the wire."""

    DEALT = 1
    ROLLED = 2
    CHOSEN = 3
    REVEALED = 4
    CLIMBED = 5


Event = tuple[EventKind, int, int]  # kind, seat, value


class IcefallState:
    """A running game; choices hold None until made, 0 for a hold."""

    __slots__ = (
        "choices",
        "components",
        "deck",
        "events",
        "hands",
        "heights",
        "marks",
        "outcome",
        "phase",
        "played",
        "roll",
        "round",
        "variant",
    )

    def __init__(self, variant: str, seats: int, components: IcefallComponents) -> None:
        self.variant = variant
        self.components = components
        self.heights = [0] * seats
        self.hands: list[tuple[int, ...]] = [()] * seats
        self.choices: list[int | None] = [None] * seats
        self.deck = list(components.copies)
        self.played = [0] * CARDS
        self.round = 1
        self.roll = 0
        self.phase = Phase.DEAL
        self.outcome: Outcome | None = None
        self.events: list[Event] = []
        self.marks = [0] * (seats + 1)  # where each seat's unseen events begin; the last one is the public's

    def copy(self) -> "IcefallState":
        """Return an independent copy."""
        new = object.__new__(IcefallState)
        for name in ("variant", "components", "round", "roll", "phase", "outcome"):
            setattr(new, name, getattr(self, name))
        for name in ("heights", "hands", "choices", "deck", "played", "events", "marks"):
            setattr(new, name, list(getattr(self, name)))
        return new

    @property
    def to_act(self) -> Actor | None:
        """Chance for cards and die, else the first seat that has not chosen."""
        if self.phase is Phase.OVER:
            return None
        return Seat(self.choices.index(None)) if self.phase is Phase.CHOOSE else CHANCE

    def legal_actions(self) -> Sequence[Action]:
        """Cards of the deck, faces, or hold and the cards of the hand."""
        if self.phase is Phase.OVER:
            return ()
        if self.phase is Phase.DEAL:
            return tuple(deal for deal in DEALS if self.deck[deal.card - 1])
        if self.phase is not Phase.CHOOSE:
            return ROLLS
        return tuple(PLAYS[card] for card in sorted({0, *self.hands[self.choices.index(None)]}))

    def apply(self, action: Action) -> None:
        """Make a ply. Raises IllegalAction."""
        if action not in self.legal_actions():
            raise IllegalAction(f"{action} is not legal now")
        self.marks[-1] = len(self.events)
        if isinstance(action, Deal):
            seat = self._short_of_cards()
            assert seat is not None
            self.deck[action.card - 1] -= 1
            self.hands[seat] = tuple(sorted((*self.hands[seat], action.card)))
            self.events.append((EventKind.DEALT, seat, action.card))
            self._after_deal()
        elif isinstance(action, Roll):
            self.roll = action.face
            self.events.append((EventKind.ROLLED, 0, action.face))
            if self.phase is Phase.FORECAST:
                self.phase = Phase.CHOOSE
            else:
                self._climb()
        else:
            self._choose(action.card)

    @property
    def revealed(self) -> bool:
        """Whether the choices of the round lie open."""
        return None not in self.choices

    def _short_of_cards(self) -> int | None:
        if any(self.deck):
            for seat, hand in enumerate(self.hands):
                if len(hand) < self.components.hand:
                    return seat
        return None

    def _after_deal(self) -> None:
        if self._short_of_cards() is None:
            self.phase = Phase.FORECAST if self.variant == "forecast" else Phase.CHOOSE

    def _choose(self, card: int) -> None:
        seat = self.choices.index(None)
        self.marks[seat] = len(self.events)
        self.choices[seat] = card
        self.events.append((EventKind.CHOSEN, seat, 0))
        if None in self.choices:
            return
        for other, shown in enumerate(self.choices):
            self.events.append((EventKind.REVEALED, other, shown or 0))
            if shown:
                hand = list(self.hands[other])
                hand.remove(shown)
                self.hands[other] = tuple(hand)
                self.played[shown - 1] += 1
        if self.variant == "forecast":
            self._climb()
        else:
            self.phase = Phase.ICEFALL

    def _climb(self) -> None:
        for seat, card in enumerate(self.choices):
            if card and card <= self.roll and self.choices.count(card) == 1:
                self.heights[seat] += card
                self.events.append((EventKind.CLIMBED, seat, card))
        if self.round == self.components.rounds or max(self.heights) >= self.components.summit:
            self.finish()
            return
        self.round += 1
        self.roll = 0
        self.choices = [None] * len(self.choices)
        self.phase = Phase.DEAL
        self._after_deal()

    def finish(self) -> None:
        """End the game as it stands."""
        self.phase = Phase.OVER
        if len(self.heights) == 1:
            ranks: tuple[int, ...] = (1 if self.heights[0] >= self.components.hut else 2,)
        else:
            ranks = tuple(1 + sum(other > height for other in self.heights) for height in self.heights)
        self.outcome = Outcome(ranks, tuple(self.heights), "height")
