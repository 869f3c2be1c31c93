"""Icefall: a small card race, an arena game from outside the arena."""

from collections.abc import Callable, Sequence

from google.protobuf.message import DecodeError

from arena.core import ActionTable, GameSpec, Seat, Secret, Stream, Variant, pick, pick_weighted
from arena.core.errors import MalformedAction
from arena.core.registry import check_seats, find_variant
from icefall import components, rules, views
from icefall.components import IcefallComponents
from icefall.rules import HOLD, PLAYS, Action, Deal, IcefallState, Phase, Play, Roll
from icefall.v1 import icefall_pb2 as pb

SPEC = GameSpec(
    id="icefall",
    title="Icefall",
    rules_version=1,
    clock="2s+0.1s,start=10s,margin=50ms",
    variants=(
        Variant("race", "Race", 2, 4, draws=True),
        Variant("forecast", "Race with a forecast", 2, 4, draws=True),
        Variant("solo", "Alone to the hut", 1, 1, draws=False),
    ),
)


class Icefall:
    """The game as the arena asks for it."""

    spec = SPEC
    actions: ActionTable[Action] = rules.ACTIONS

    def components(self, text: str | None, source: str) -> IcefallComponents:
        """Read a component file. Raises BadComponents."""
        return components.read(text, source)

    def new(self, variant: str, seats: int, components: IcefallComponents) -> IcefallState:
        """Return the state before the first deal."""
        check_seats(self, find_variant(self, variant), seats)
        return IcefallState(variant, seats, components)

    def draw(self, state: IcefallState, stream: Stream) -> Action:
        """Return the card dealt or the face of the die."""
        if state.phase is Phase.DEAL:
            left = sum(state.deck)
            return pick_weighted(stream, f"card {left} from the bottom", state.legal_actions(), self.weights(state))
        return pick(stream, f"round {state.round}/die", state.legal_actions())

    def weights(self, state: IcefallState) -> Sequence[int]:
        """Return the copies left of each card, or 1 for each face."""
        return [state.deck[action.card - 1] if isinstance(action, Deal) else 1 for action in state.legal_actions()]

    def view(self, state: IcefallState, seat: Seat | None) -> pb.View:
        """Return what the seat may know."""
        return views.view(state, seat)

    def sample(self, view: pb.View, components: IcefallComponents, stream: Stream) -> IcefallState:
        """Return some state that fits the view."""
        return views.sample(view, components, stream)

    def default_action(self, state: IcefallState) -> Action:
        """Hold: it blocks nobody."""
        return HOLD

    def secrets(self, seats: int) -> Sequence[Secret]:
        """Return the hands and the choices not yet turned up; the last seat's choice turns them all up."""
        return [
            *(Secret(f"hand of seat {k}", Seat(k), _hand(k), _hand_implied(k)) for k in range(seats)),
            *(Secret(f"choice of seat {k}", Seat(k), _choice(k), _never) for k in range(seats - 1)),
        ]

    def turn(self, view: pb.View, legal: Sequence[Action]) -> pb.Turn:
        """Return the wire message of a turn."""
        return pb.Turn(view=view, legal_actions=[pb.Action(card=a.card) for a in legal if isinstance(a, Play)])

    def parse_turn(self, data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
        """Read a turn back. Raises MalformedAction."""
        try:
            turn = pb.Turn.FromString(data)
            return turn.view, tuple(PLAYS[action.card] for action in turn.legal_actions)
        except (DecodeError, IndexError):
            raise MalformedAction("this is no turn of icefall") from None

    def describe(self, action: Action, components: IcefallComponents) -> str:
        """Return the action in words."""
        if isinstance(action, Deal):
            return f"a card of {action.card} is dealt"
        if isinstance(action, Roll):
            return f"the die shows {action.face}"
        return f"climb {action.card}" if action.card else "hold fast"

    def story(self, view: pb.View, components: IcefallComponents) -> list[str]:
        """Tell the view's events."""
        return views.story(view)

    def render_text(self, view: pb.View, components: IcefallComponents, width: int) -> str:
        """Draw the view as text."""
        return views.render_text(view, width)

    def render_svg(self, view: pb.View, components: IcefallComponents) -> str:
        """Draw the view as SVG."""
        return views.render_svg(view)


def _hand(k: int) -> Callable[[IcefallState], tuple[int, ...] | None]:
    return lambda state: state.hands[k] or None


def _choice(k: int) -> Callable[[IcefallState], int | None]:
    return lambda state: None if state.revealed or not state.hands[k] else state.choices[k]


def _hand_implied(k: int) -> Callable[[IcefallState, Seat | None], bool]:
    def implied(state: IcefallState, viewer: Seat | None) -> bool:
        pile = views.unseen(state, () if viewer is None else state.hands[viewer])
        return len(set(pile)) == 1 or len(pile) == len(state.hands[k])

    return implied


def _never(state: IcefallState, viewer: Seat | None) -> bool:
    return False


GAME = Icefall()
