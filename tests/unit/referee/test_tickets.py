"""Tickets: what they open, and that they are secret."""

from referee.tickets import Tickets


def test_a_ticket_opens_the_place_it_was_issued_for():
    tickets = Tickets()
    first, second = tickets.issue("seat 0"), tickets.issue("seat 1")
    assert tickets.find(first) == "seat 0"
    assert tickets.find(second) == "seat 1"


def test_anything_else_opens_nothing():
    tickets = Tickets()
    ticket = tickets.issue("seat")
    assert [tickets.find(wrong) for wrong in ("", "seat", ticket[:-1], ticket + "x", "ü")] == [None] * 5


def test_a_withdrawn_ticket_opens_nothing():
    tickets = Tickets()
    ticket = tickets.issue("seat")
    tickets.withdraw(ticket)
    assert tickets.find(ticket) is None
    assert len(tickets) == 0


def test_withdrawing_twice_is_a_no_op():
    tickets = Tickets()
    ticket = tickets.issue("seat")
    tickets.withdraw(ticket)
    tickets.withdraw(ticket)


def test_tickets_are_made_of_24_random_bytes():
    asked = []

    def source(size):
        asked.append(size)
        return "secret"

    assert Tickets(source).issue("seat") == "secret"
    assert asked == [24]
