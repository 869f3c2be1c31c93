"""What every page has in common, in a real browser."""

import pytest
from webbing import scrolls_sideways, violations, window


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "desk"])
@pytest.mark.parametrize("path", ["/", "/sign-in"])
def test_a_page_has_no_accessibility_violation_and_fits_its_window(browser, web, path, size, dark):
    with window(browser, web, size=size, dark=dark) as context:
        page = context.new_page()
        page.goto(path)

        assert violations(page) == []
        assert not scrolls_sideways(page)
