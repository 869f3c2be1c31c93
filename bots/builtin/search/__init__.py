"""Search: information-set Monte Carlo tree search over states that fit its view, in any game."""
