"""The attributes of a slotted class, whether it is interpreted or compiled by mypyc, which keeps no __slots__."""


def attributes_of(kind):
    """Return the names of a class's attributes."""
    return tuple(getattr(kind, "__slots__", None) or kind.__mypyc_attrs__)
