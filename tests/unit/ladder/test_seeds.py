from hashlib import sha256

from arena.ladder.seeds import commitment_of, deal_seed, tournament_seed

SECRET = bytes(range(16))
ARCHIVES = [sha256(name).hexdigest() for name in (b"ada", b"bert", b"cleo")]


def test_every_hash_is_what_the_page_says():
    archives = b"".join(sorted(bytes.fromhex(one) for one in ARCHIVES))
    assert commitment_of(SECRET) == sha256(b"whiteout commitment" + SECRET).hexdigest()
    seed = sha256(b"whiteout tournament" + SECRET + archives).digest()[:16]
    assert tournament_seed(SECRET, ARCHIVES) == seed
    assert deal_seed(seed, 2) == sha256(b"whiteout deal" + seed + b"\0\0\0\2").digest()[:16]


def test_the_order_of_entry_does_not_matter():
    assert tournament_seed(SECRET, ARCHIVES) == tournament_seed(SECRET, ARCHIVES[::-1])


def test_another_archive_gives_other_luck():
    assert tournament_seed(SECRET, ARCHIVES) != tournament_seed(SECRET, ARCHIVES[:2])


def test_deals_have_seeds_of_their_own():
    seed = tournament_seed(SECRET, ARCHIVES)
    assert len({deal_seed(seed, number) for number in range(1, 1000)}) == 999
