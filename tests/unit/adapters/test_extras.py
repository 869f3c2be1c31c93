"""Without the libraries an adapter says what to install."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("adapter", "library"), [("pettingzoo", "pettingzoo"), ("pettingzoo", "gymnasium"), ("openspiel", "pyspiel")]
)
def test_an_adapter_without_its_library_names_the_extra(adapter, library) -> None:
    program = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from arena.core.errors import UsageError\n"
        f"try:\n    import arena.adapters.{adapter}\n"
        "except UsageError as error:\n    print(error.code, error.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("EXTRA_MISSING this adapter needs ")
    assert done.stdout.rstrip().endswith(f"pip install 'whiteout-arena[{adapter}]'")
