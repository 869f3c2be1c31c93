import pytest

from arena.api.server import SERVICES
from arena.core.errors import PermissionDenied
from arena.services.access import PUBLIC, RIGHTS, check_right
from arena.store.states import Role


def test_every_rpc_of_the_server_stands_in_the_rights_table_and_nothing_else_does():
    served = {f"/{service.full_name}/{method.name}" for service in SERVICES for method in service.methods}

    assert served == set(RIGHTS)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("method", sorted(RIGHTS))
def test_each_role_may_call_exactly_what_its_row_allows(method, role):
    if role.covers(RIGHTS[method]):
        check_right(method, role)
    else:
        with pytest.raises(PermissionDenied) as caught:
            check_right(method, role)
        assert caught.value.code == "ROLE_TOO_LOW"


def test_what_stands_in_no_table_nobody_may_call():
    with pytest.raises(PermissionDenied):
        check_right("/arena.v1.BotService/Invented", Role.ADMIN)


def test_what_anybody_may_see_is_what_every_author_may():
    assert {RIGHTS[method] for method in PUBLIC} == {Role.AUTHOR}
