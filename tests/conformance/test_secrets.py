"""What every game promises about secrets: a sampled state fits the view, and what is hidden stays open."""

from arena.core import CHANCE, FastStream

TRIES = 300
LEAK_FIELD = 50_000


def serialised(message):
    return message.SerializeToString(deterministic=True)


class Leaking:
    """A game whose view also carries one secret, for whoever may not know it."""

    def __init__(self, game, secret):
        self.game, self.secret = game, secret

    def view(self, state, seat):
        shown = self.game.view(state, seat)
        value = self.secret.value(state)
        if value is not None and not owns(self.secret, seat):
            text = repr(value).encode()
            shown.MergeFromString(varint(LEAK_FIELD << 3 | 2) + varint(len(text)) + text)
        return shown

    def sample(self, view, components, stream):
        return self.game.sample(view, components, stream)


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def broken_law(game, case, state, viewer, stream):
    """Return what a sampled state shows differently, or None."""
    view = game.view(state, viewer)
    guess = game.sample(view, case.components, stream)
    if serialised(game.view(guess, viewer)) != serialised(view):
        return f"the view of {viewer} changes:\n{view}\nbecomes\n{game.view(guess, viewer)}"
    if guess.to_act != state.to_act:
        return f"the actor changes: {state.to_act} becomes {guess.to_act}"
    if viewer == state.to_act and tuple(guess.legal_actions()) != tuple(state.legal_actions()):
        return f"legal actions change: {state.legal_actions()} become {guess.legal_actions()}"
    return None


def owns(secret, viewer):
    """A secret without an owner is nobody's, not the public's, though both are None."""
    return secret.owner is not None and viewer == secret.owner


def live(secret, state, viewer):
    return secret.value(state) is not None and not owns(secret, viewer) and not secret.implied(state, viewer)


def live_positions(case, secrets, **bounds):
    """Positions, viewers and the secrets that are hidden from them there."""
    for at in case.all_positions(**bounds):
        for viewer in case.viewers:
            hidden = [secret for secret in secrets if live(secret, at.state, viewer)]
            if hidden:
                yield at, viewer, hidden


def test_a_sampled_state_fits_the_view(case):
    stream = FastStream(2)
    for at in case.all_positions(at_most=40):
        for viewer in case.viewers:
            broken = broken_law(case.game, case, at.state, viewer, stream)
            assert broken is None, f"{at.where}: {broken}"


def test_a_sampled_state_can_be_played_to_the_end(case):
    stream = FastStream(4)
    for at in case.all_positions(walks=1, at_most=5):
        for viewer in case.viewers:
            state = case.game.sample(case.game.view(at.state, viewer), case.components, stream)
            plies = 0
            while state.to_act is not None:
                legal = state.legal_actions()
                chance = state.to_act is CHANCE
                state.apply(case.game.draw(state, stream) if chance else legal[stream.below(len(legal), "")])
                plies += 1
                assert plies < 20_000, f"{at.where}, viewer {viewer}: a sampled state does not end"


def test_what_is_hidden_takes_several_values_over_samples(case):
    stream = FastStream(6)
    secrets = case.game.secrets(case.seats)
    for at, viewer, hidden in live_positions(case, secrets, walks=2, at_most=25):
        view = case.game.view(at.state, viewer)
        values = {secret.name: set() for secret in hidden}
        for _ in range(TRIES):
            guess = case.game.sample(view, case.components, stream)
            for secret in hidden:
                values[secret.name].add(secret.value(guess))
            if all(len(seen) > 1 for seen in values.values()):
                break
        fixed = [name for name, seen in values.items() if len(seen) < 2]
        assert not fixed, f"{at.where}: {fixed} cannot be anything else to viewer {viewer}"


def test_what_is_known_or_implied_is_sampled_as_it_is(case):
    stream = FastStream(7)
    secrets = case.game.secrets(case.seats)
    for at in case.all_positions(walks=2, at_most=40):
        for viewer in case.viewers:
            known = [s for s in secrets if s.value(at.state) is not None and not live(s, at.state, viewer)]
            if not known:
                continue
            guess = case.game.sample(case.game.view(at.state, viewer), case.components, stream)
            for secret in known:
                assert secret.value(guess) == secret.value(at.state), f"{at.where}: {secret.name} for viewer {viewer}"


def test_a_planted_leak_of_each_secret_is_caught(case):
    stream = FastStream(8)
    secrets = case.game.secrets(case.seats)
    seen, caught = set(), set()
    for at, viewer, hidden in live_positions(case, secrets, walks=2, at_most=25):
        for secret in hidden:
            if secret.name in caught:
                continue
            seen.add(secret.name)
            leaking = Leaking(case.game, secret)
            if any(broken_law(leaking, case, at.state, viewer, stream) for _ in range(TRIES)):
                caught.add(secret.name)
    assert caught == seen, f"{case}: leaks not caught: {sorted(seen - caught)}"


def test_every_declared_secret_is_hidden_at_some_time(game, cases_of):
    for seats in sorted({case.seats for case in cases_of(game)}):
        cases = [case for case in cases_of(game) if case.seats == seats]
        secrets = game.secrets(seats)
        met = {
            secret.name
            for case in cases
            for _, _, hidden in live_positions(case, secrets, walks=4)
            for secret in hidden
        }
        never = {secret.name for secret in secrets} - met
        assert not never, f"{game.spec.id}, {seats} seats: never hidden from anybody: {sorted(never)}"
