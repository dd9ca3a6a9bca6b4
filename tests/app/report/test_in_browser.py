"""The report in a real browser: opened, folded, sorted, saved, printed, by day and by night, on a phone."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from learnable.app.report.page import page as study_page
from learnable.app.report.unsupervised_page import unsupervised_page
from learnable.app.study.settings import StudySettings
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import run_study
from learnable.app.task import ask

from ..study.tables import flowers, house_task, passengers
from .browser import started

QUICK = StudySettings(effort="quick", repeats=1, models=("naive Bayes", "logistic regression", "pruned tree"))


@pytest.fixture(scope="module")
def browser():
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of two classes, of numbers, and of no target."""
    folder = tmp_path_factory.mktemp("reports")
    numbers = replace(QUICK, models=("ridge regression",))
    texts = {
        "classes": study_page(run_study(ask(passengers(), "survived"), QUICK)),
        "numbers": study_page(run_study(house_task(), numbers)),
        "unsupervised": unsupervised_page(run_unsupervised(ask(flowers()), QUICK)),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(browser, reports):
    """Opens a report and checks that it makes no network request and logs no error."""
    contexts, logged, requested = [], [], []

    def open_report(name: str = "classes", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: logged.append(message.text))
        tab.on("pageerror", lambda error: logged.append(str(error)))
        tab.on("request", lambda request: requested.append(request.url))
        tab.goto((reports / f"{name}.html").as_uri())
        return tab

    yield open_report
    assert logged == []
    assert [url for url in requested if not url.startswith(("file:", "blob:"))] == []
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", ["classes", "numbers", "unsupervised"])
def test_a_phone_shows_it_without_scrolling_sideways(opened, name):
    tab = opened(name, viewport={"width": 360, "height": 740})
    assert tab.locator("h1").is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    cut = tab.evaluate(
        "[...document.querySelectorAll('caption span, pre')].filter(one => one.scrollWidth > one.clientWidth + 1"
        " || one.getBoundingClientRect().right > one.closest('.scroll, main, body').getBoundingClientRect().right)"
        ".map(one => one.textContent)"
    )
    assert cut == []


def test_the_story_is_seen_first(opened):
    tab = opened(viewport={"width": 1200, "height": 1000})
    for words in ("Question", "Result", "Uncertainty", "Next steps"):
        assert tab.get_by_text(words, exact=True).bounding_box()["y"] < 1000
    story = tab.locator(".story").bounding_box()["y"]
    assert all(tab.locator("h2").nth(place).bounding_box()["y"] > story for place in range(tab.locator("h2").count()))


def test_details_fold_by_mouse_and_by_keyboard(opened):
    tab = opened()
    part = tab.locator("details", has=tab.locator("#worst"))
    assert not tab.locator("#worst").is_visible()
    part.locator("summary").click()
    assert tab.locator("#worst").is_visible()
    part.locator("summary").press("Enter")
    assert not tab.locator("#worst").is_visible()


def column(tab, table: str, place: int) -> list[str]:
    return tab.locator(f"#{table} tbody tr").evaluate_all(
        f"rows => rows.map(row => row.cells[{place}].dataset.value ?? row.cells[{place}].textContent)"
    )


def test_tables_are_sorted_by_a_heading(opened):
    tab = opened()
    heading = tab.locator("#models-table thead th").nth(1)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    means = [float(text) for text in column(tab, "models-table", 1)]
    assert means == sorted(means)
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert [float(text) for text in column(tab, "models-table", 1)] == sorted(means, reverse=True)
    names = tab.locator("#models-table thead th").nth(0)
    names.locator("button").click()
    assert heading.get_attribute("aria-sort") is None
    assert column(tab, "models-table", 0) == sorted(column(tab, "models-table", 0))


SAVED = 8  # tables of a page that are saved; Chromium refuses more than ten downloads of one page


@pytest.mark.parametrize("name", ["classes", "numbers", "unsupervised"])
def test_every_table_is_saved_as_csv(opened, name):
    count = opened(name).locator("table").count()
    assert count >= 4
    for place in range(count):
        if place % SAVED == 0:
            tab = opened(name)
            tab.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        table = tab.locator("table").nth(place)
        cells = table.evaluate(
            "t => [...t.rows].map(r => [...r.cells].map(c => (c.dataset.value ?? c.textContent).trim()))"
        )
        with tab.expect_download() as waiting:
            table.locator("xpath=../following-sibling::button[1]").click()
        text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
        assert waiting.value.suggested_filename == f"{table.get_attribute('id')}.csv"
        assert list(csv.reader(io.StringIO(text))) == cells


def test_a_threshold_is_chosen_by_costs(opened):
    tab = opened()
    output = tab.locator("#chooser output")
    first = output.inner_text()
    assert first.startswith("Predict survived = yes from a probability of")
    tab.fill("#false-negative", "50")
    dear = output.inner_text()
    assert float(dear.split()[8]) < float(first.split()[8])
    tab.fill("#false-negative", "-1")  # a false negative is a gain
    assert output.inner_text().startswith("Never predict survived = yes: 0 false positives and ")
    tab.fill("#false-negative", "")
    assert output.inner_text() == "Enter both costs as numbers."


def test_paper_shows_what_is_folded_and_the_page_is_as_before(opened, tmp_path):
    tab = opened()
    folded = tab.locator("details:not([open])").count()
    assert folded > 3
    tab.evaluate(
        "addEventListener('beforeprint', () => { window.seen = document.querySelectorAll('details[open]').length;"
        " window.buttons = document.querySelectorAll('thead button').length; })"
    )
    buttons = tab.locator("thead button").count()
    printed = tab.pdf(path=tmp_path / "report.pdf", format="A4")
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
    assert tab.evaluate("window.seen") == tab.locator("details").count()
    assert tab.locator("details:not([open])").count() == folded
    assert tab.evaluate("window.buttons") == 0, "Chromium repeats no heading that holds a button"
    assert tab.locator("thead button").count() == buttons > 0
    tab.locator("#models-table thead button").first.click()
    assert tab.locator("#models-table thead th").first.get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_the_first_sheet_of_paper_is_filled(opened, name):
    """The comparison begins on it: by its table, which may end on the next, where a picture would move as a whole."""
    width, height = 680, 1009  # of A4 within its margins
    tab = opened(name, viewport={"width": width, "height": height})
    tab.emulate_media(media="print")
    row = tab.locator("#models-table tbody tr").first.bounding_box()
    picture = tab.locator(".side-by-side figure").first.bounding_box()
    assert row["y"] + row["height"] < height and row["y"] < picture["y"]
    assert picture["height"] < height / 2


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_by_day_and_by_night(opened, scheme):
    tab = opened(color_scheme=scheme)
    ground = luminance(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (ground > 0.9) is (scheme == "light")
    for part in ("h1", "p.quiet", ".story dd", "figcaption", "thead th", "nav a", "figure svg text"):
        way = "fill" if part.endswith("text") else "color"
        letters = luminance(tab.locator(part).first.evaluate(f"e => getComputedStyle(e).{way}"))
        assert (max(ground, letters) + 0.05) / (min(ground, letters) + 0.05) >= 4.5, part


def test_figures_have_descriptions_for_screen_readers(opened):
    tab = opened()
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert tab.evaluate("[...document.querySelectorAll('svg')].every(s => s.matches('[role=img][aria-label]'))")
    assert tab.evaluate("[...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent.trim())")
    assert tab.evaluate("[...document.querySelectorAll('input')].every(i => i.labels.length)")
    levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_figures_of_the_tiles_stand_in_one_line(opened):
    tab = opened("numbers", viewport={"width": 1280, "height": 900})
    tops = "[...document.querySelectorAll('.tile b')].map(one => Math.round(one.getBoundingClientRect().top))"
    assert len(set(tab.evaluate(tops))) == 1


def test_no_line_ends_inside_a_flag_of_the_command(opened):
    tab = opened("numbers", viewport={"width": 390, "height": 800})
    lines = "[...document.querySelectorAll('pre:last-of-type .flag')].map(one => one.getClientRects().length)"
    assert set(tab.evaluate(lines)) == {1}
