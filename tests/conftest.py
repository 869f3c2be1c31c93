"""Options of the whole test suite."""

import gc
import signal

import hypothesis
import pytest


def pytest_configure():
    """Let the programs that tests start hear Ctrl-C, also where the suite runs in a shell's background.

    Examples of properties may take their time: what a busy machine makes slow is no fault of what is tested.
    """
    hypothesis.settings.register_profile("whiteout", parent=hypothesis.settings(), deadline=None)
    hypothesis.settings.load_profile("whiteout")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart():
    """Make no garbage collection of the collected tests: thousands of objects that all stay."""
    gc.disable()


def pytest_collection_finish():
    """Leave what was collected out of every later garbage collection, too."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden match logs of every registered game anew instead of comparing; read the diff in review",
    )
    parser.addoption("--soak-minutes", type=float, default=60.0, help="how long the soak lasts")
    parser.addoption("--drill-seed", type=int, help="carry out the chaos drill with this seed, and no other")


@pytest.fixture(scope="session")
def rewrite_golden(request) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--rewrite-golden"))
