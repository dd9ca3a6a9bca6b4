"""The page of a service in a real browser: predictions for other values of one feature."""

from __future__ import annotations

import re

import pytest

from tests.app.saved_models import classifier, saved
from tests.app.service.service_process import service

from .browser import started


def test_other_values_of_a_feature_are_predicted(tmp_path):
    with service(saved(classifier(), tmp_path / "m.learnable")) as running, started() as browser:
        tab, logged = browser.new_page(), []
        tab.on("console", lambda message: logged.append(message.text))
        tab.on("pageerror", lambda error: logged.append(str(error)))
        tab.goto(f"http://127.0.0.1:{running.port}/")
        assert tab.locator("#varied option").all_inner_texts() == ["age", "income", "city"]
        tab.select_option("#varied", label="age")
        tab.click("#show-varied")
        tab.locator("#curve polyline").wait_for()
        assert "Probability of yes for other values of age" in tab.locator("#curve").inner_text()
        points = tab.locator("#curve circle").count()
        row = tab.evaluate("row()")
        low, high = (float(tab.locator("[data-column=age]").get_attribute(f"data-{end}")) for end in ("low", "high"))
        rows = [{**row, "age": low + (high - low) * k / (points - 1)} for k in range(points)]
        right = [one["probabilities"]["yes"] for one in running.predict(rows)[1]["predictions"]]
        heights = [190 - float(one.get_attribute("cy")) for one in tab.locator("#curve circle").all()]
        assert [160 * (one - min(right)) / (max(right) - min(right)) for one in right] == pytest.approx(heights)
        tab.select_option("#varied", label="city")
        tab.click("#show-varied")
        tab.locator("#curve progress").first.wait_for()
        shown = {one.split("\n")[0]: float(one.split("\n")[1]) for one in tab.locator("#curve li").all_inner_texts()}
        for city, probability in shown.items():
            expected = running.predict([{**row, "city": city}])[1]["predictions"][0]["probabilities"]["yes"]
            assert probability == pytest.approx(expected, abs=5e-3 * max(1, abs(expected)))
        tab.fill("[data-column=age]", "old")
        tab.click("#show-varied")
        assert re.search("column 'age'", tab.locator("#curve .bad").inner_text())
        assert [line for line in logged if "422" not in line] == []
