"""The page: that it asks nothing of anybody, and how it looks and reads in a browser."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import Browser, browser, programs
from judged import judge
from openmed_rules.formats import FORMATS
from reports import REPORTS, hostile_names_of
from watched import open_sockets

GOOD = {"claims": [{"citations": ["f1"]}], "evidence": ["f1"]}
BAD = {"claims": [{"citations": ["f9"]}, {}], "evidence": ["f1", "f2"]}
PAGES = {
    "passing": judge("", GOOD, GOOD),
    "failing": judge("", *[BAD] * 30, GOOD, b"{"),
    "empty": judge("", {}),
    "not evaluated": judge("", b"{"),
    "everything": REPORTS["failed"],
    "let be": REPORTS["let_be"],
    "hostile": hostile_names_of("</style><img src=x onerror=alert(1)>\n" + "long-name-" * 20),
}
"""The runs that are looked at."""


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_closed_to_the_world(name: str) -> None:
    page = FORMATS["html"](PAGES[name])
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    (style,) = re.findall(r"(?s)<style>(.*?)</style>", page)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert policy.split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert "unsafe" not in policy
    assert not re.findall(r"<(?:script|iframe|img|object|embed|base|form|a)\b", page)
    assert re.findall(r' (?:href|src)="([^"]*)"', page) == ["data:,"]
    assert not re.findall(r"url\(|@import|@font-face", style)


def test_the_verdict_stands_first() -> None:
    page = FORMATS["html"](PAGES["failing"])
    words = re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", page[page.index("<body>") :]).split()

    assert words[1:3] == ["failed", "small"]


def test_the_limits_are_drawn_and_said() -> None:
    said = "policy: {tolerate: {unsupported_claim: 25%, omitted_source_fact: any}, per: batch}"
    page = FORMATS["html"](judge(said, GOOD, {"claims": [{}, {"citations": ["f1"]}], "evidence": ["f1", "f2"]}))

    assert "Asked for: at least 75.0% (up to 25% may be missing)." in page
    assert page.count('class="limit" x="744"') == 1
    assert "Asked for: any number." in page


# --- in a browser -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if programs() is None:
        pytest.skip("chromium and chromedriver are not installed")
    with open_sockets(), browser() as session:
        yield session


every_page = pytest.mark.parametrize("name", PAGES)
every_look = pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1280, False), (1280, True)])


def write_page(folder: Path, name: str) -> Path:
    page = folder / "page.html"
    page.write_text(FORMATS["html"](PAGES[name]), encoding="utf-8")
    return page


CONTRASTS = """
const light = colour => {
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(value => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return "rgb(255, 255, 255)";
};
const ratio = (one, other) => {
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const texts = [...document.querySelectorAll("body *")].filter(element =>
  [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim()));
const shapes = [...document.querySelectorAll("rect:not(.track)")];
return {
  texts: texts.map(element => [element.tagName, ratio(getComputedStyle(element).color, behind(element))]),
  shapes: shapes.map(element => [element.className.baseVal,
    ratio(getComputedStyle(element).fill, behind(element.closest("section")))]),
};
"""


@every_page
@every_look
def test_the_page_can_be_read(chromium: Browser, tmp_path: Path, name: str, width: int, *, dark: bool) -> None:
    page = write_page(tmp_path, name)
    chromium.requests()
    chromium.show(page, width=width, dark=dark)
    found: dict[str, list[tuple[str, float]]] = chromium.run(CONTRASTS)

    assert chromium.console() == []
    assert set(chromium.requests()) <= {page.as_uri(), "data:,"}
    assert chromium.run("return matchMedia('(prefers-color-scheme: dark)').matches") is dark
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    assert [text for text in found["texts"] if text[1] < 4.5] == []
    assert [shape for shape in found["shapes"] if shape[1] < 3] == []


def test_the_keyboard_goes_through_the_page_in_order(chromium: Browser, tmp_path: Path) -> None:
    chromium.show(write_page(tmp_path, "everything"), width=390, dark=False)
    seen: list[Any] = []
    for _ in range(5):
        chromium.press_tab()
        seen.append(
            chromium.run(
                "const at = document.activeElement;"
                "return [at.ariaLabel || at.textContent, getComputedStyle(at).outlineStyle]"
            )
        )

    names = ["Where to look", "Unreadable", "By class", "Locators (2)"]
    assert seen[:4] == [[name, "solid"] for name in names]


def test_what_is_not_text_has_a_name(chromium: Browser, tmp_path: Path) -> None:
    chromium.show(write_page(tmp_path, "everything"), width=1280, dark=False)

    assert chromium.run("return document.documentElement.lang") == "en"
    assert chromium.run("return document.querySelectorAll('h1').length") == 1
    assert chromium.run("return [...document.querySelectorAll('svg')].every(chart => chart.getAttribute('aria-label'))")
    assert chromium.run("return [...document.querySelectorAll('th')].every(cell => cell.scope === 'col')")


def test_paper_is_light_also_in_the_dark(chromium: Browser, tmp_path: Path) -> None:
    chromium.show(write_page(tmp_path, "failing"), width=1280, dark=True, medium="print")

    assert chromium.run("return getComputedStyle(document.querySelector('h1')).color") == "rgb(26, 34, 48)"
