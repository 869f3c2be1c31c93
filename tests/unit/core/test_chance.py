"""The numbers of rated play: the published algorithm, its vectors, seeds in text form."""

from collections import Counter
from hashlib import blake2b
from itertools import count
from random import Random

import pytest

from arena.core import FastStream, KeyedStream, pick, pick_weighted
from arena.core.chance import bot_seed, seed_from_text, seed_to_text
from arena.core.errors import UsageError

SEED = bytes(range(16))

VECTORS = [
    # seed in hex, label, n, number
    ("00000000000000000000000000000000", "", 2, 0),
    ("00000000000000000000000000000000", "die", 6, 5),
    ("00000000000000000000000000000000", "seat 1/round 2/roll 9/die red-d8", 8, 6),
    ("00000000000000000000000000000000", "Würfel", 1000000, 352221),
    ("00000000000000000000000000000000", "card 12", 9223372036854775809, 1901209886470919304),
    ("00000000000000000000000000000007", "", 2, 0),
    ("00000000000000000000000000000007", "die", 6, 5),
    ("00000000000000000000000000000007", "seat 1/round 2/roll 9/die red-d8", 8, 1),
    ("00000000000000000000000000000007", "Würfel", 1000000, 863448),
    ("00000000000000000000000000000007", "card 12", 9223372036854775809, 487828077454166511),
    ("000102030405060708090a0b0c0d0e0f", "", 2, 1),
    ("000102030405060708090a0b0c0d0e0f", "die", 6, 4),
    ("000102030405060708090a0b0c0d0e0f", "seat 1/round 2/roll 9/die red-d8", 8, 4),
    ("000102030405060708090a0b0c0d0e0f", "Würfel", 1000000, 523341),
    ("000102030405060708090a0b0c0d0e0f", "card 12", 9223372036854775809, 4482317389518939496),
]


class Repeated:
    """A stream that always gives the same number."""

    def __init__(self, number):
        self.number = number

    def below(self, n, label):
        return min(self.number, n - 1)


@pytest.mark.parametrize(("seed", "label", "n", "number"), VECTORS)
def test_the_published_vectors_hold(seed, label, n, number):
    assert KeyedStream(bytes.fromhex(seed)).below(n, label) == number


def by_the_book(seed, label, n):
    """The algorithm once more, written from its description."""
    for counter in count():
        digest = blake2b(label.encode("utf-8") + counter.to_bytes(4, "little"), key=seed, digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        if number < 2**64 // n * n:
            return number % n
    raise AssertionError


@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 52, 10**6, 2**63 + 1, 2**64])
def test_a_number_follows_the_description(n):
    for label in ("", "die", "seat 1/round 2/roll 9/die red-d8", "Würfel"):
        assert KeyedStream(SEED).below(n, label) == by_the_book(SEED, label, n)


def test_a_number_above_the_largest_multiple_is_rejected():
    # With n just above half the span almost every second first number is refused.
    n = 2**63 + 1
    first = [
        int.from_bytes(blake2b(f"{i}".encode() + bytes(4), key=SEED, digest_size=8).digest(), "little")
        for i in range(64)
    ]
    refused = [i for i, number in enumerate(first) if number >= n]
    assert refused
    assert all(KeyedStream(SEED).below(n, f"{i}") != first[i] % n for i in refused)


@pytest.mark.parametrize("n", [2, 3, 6, 8, 13])
def test_numbers_are_uniform(n):
    drawn = Counter(KeyedStream(SEED).below(n, f"roll {i}") for i in range(6000))
    mean = 6000 / n
    assert set(drawn) == set(range(n))
    assert sum((drawn[i] - mean) ** 2 / mean for i in range(n)) < 40


def test_a_number_does_not_depend_on_earlier_ones():
    used, fresh = KeyedStream(SEED), KeyedStream(SEED)
    for i in range(5):
        used.below(6, f"other {i}")
    assert used.below(1000, "this") == fresh.below(1000, "this")


def test_another_seed_or_label_gives_other_numbers():
    def numbers(seed, label):
        return [KeyedStream(seed).below(1000, f"{label} {i}") for i in range(8)]

    assert numbers(SEED, "a") != numbers(SEED, "b")
    assert numbers(SEED, "a") != numbers(bytes(16), "a")


def test_a_fast_stream_repeats_from_its_seed():
    one, two = FastStream(5), FastStream(5)
    assert [one.below(6, "") for _ in range(20)] == [two.below(6, "other") for _ in range(20)]


def test_pick_takes_each_item_at_its_place():
    assert [pick(Repeated(i), "", "abc") for i in range(3)] == ["a", "b", "c"]


def test_pick_weighted_gives_each_item_its_share():
    assert [pick_weighted(Repeated(i), "", "abc", (1, 3, 2)) for i in range(6)] == list("abbbcc")


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("0", 0), ("0x1f", 31), ("0" * 30 + "ff", 255), (str(2**128 - 1), 2**128 - 1)]
)
def test_a_seed_is_read_from_a_number_or_from_hex(text, number):
    assert seed_from_text(text) == number.to_bytes(16, "big")


@pytest.mark.parametrize("text", ["", "seven", "-1", "1.5", str(2**128), "0xzz", "g" * 32])
def test_a_bad_seed_is_refused_with_the_way_out(text):
    with pytest.raises(UsageError, match="give one like 7 or 32 hex digits"):
        seed_from_text(text)


def test_a_seed_in_text_reads_back():
    assert seed_from_text(seed_to_text(SEED)) == SEED
    assert seed_to_text(SEED) == "000102030405060708090a0b0c0d0e0f"


def test_a_bot_seed_is_32_bits_and_each_seat_s_own():
    seeds = [bot_seed(SEED, seat) for seat in range(5)]
    assert len(set(seeds)) == 5
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert seeds == [bot_seed(SEED, seat) for seat in range(5)]


def test_a_fast_stream_gives_the_numbers_of_randrange():
    stream, source = FastStream(9), Random(9)
    for n in (*range(1, 70), 2**40 + 1):
        assert stream.below(n, "") == source.randrange(n)
