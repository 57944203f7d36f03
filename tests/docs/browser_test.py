#!/usr/bin/env python3
"""Uses the web site of the documentation as a reader does, in a browser.

    browser_test.py ROOT [FOLDER]

- The search works from a file system, without a server. For each question of QUESTIONS, a good page is one of the first three
  hits. parallel_for leads to the reference, also by keys.
- The guide leads to the reference, through the calls in its code examples and its tables. The page of a call leads to its source
  and to the guide.
- Every page can be reached from the start page, and no link is dead. Links to other sites are checked, not followed.
- Each picture is shown, and no script reports an error.
- On a phone, a tablet and a desktop, no page is wider than its window, the text has room, and the menu does not cover it. On a
  phone the menu is folded away, and a button shows it. In a wide window the table of contents is next to the text.
- A button copies a code block.
- If the system's theme is dark, the pages are dark. A button changes the theme, also of the next page. All text has contrast.

With FOLDER, it saves pictures of some pages there, light and dark, in each width. Skipped if Doxygen, Chromium, its driver or Selenium is
missing (Debian: doxygen chromium chromium-driver python3-selenium).
"""

import contextlib
import functools
import http.server
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait
except ImportError:
    print("no Selenium for this Python")
    sys.exit(77)

ROOT = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
PICTURED = ["index", "guide", "call-sort", "class-ThreadPool", "reference", "inside", "performance"]
SECONDS = 30  # until a page must have reacted

# A search, and the page that must be one of the first three hits.
QUESTIONS = [
    ("grain", "guide"),
    ("exceptions", "guide"),
    ("OpenMP", "migrating"),
    ("Rayon", "migrating"),
    ("data race", "debugging"),
    ("deadlock", "guide"),
    ("progress", "cookbook"),
    ("nested", "faq"),
    ("false sharing", "faq"),
    ("random", "cookbook"),
    ("parallel_for", "call-parallel_for"),
    ("parallel for", "call-parallel_for"),
    ("ThreadPool", "class-ThreadPool"),
    ("cancellation", "guide"),
    ("how do I stop a loop", "class-ForOptions"),
    ("floating point sum differs", "faq"),
    ("deterministic", "class-ReduceOptions"),
    ("NUMA", "guide"),
    ("affinity", "class-ThreadPoolOptions"),
    ("fork()", "faq"),
    ("coroutines", "coroutines"),
    ("senders", "senders"),
    ("tbb", "tbb"),
    ("std::execution::par", "std_execution"),
    ("MPI", "mpi"),
    ("CMake", "start"),
    ("Windows", "guarantees"),
    ("thread_local", "faq"),
    ("WorkerLocal", "class-WorkerLocal"),
    ("stack size", "class-ThreadPoolOptions"),
    ("sort", "call-sort"),
    ("prefix sum", "cookbook"),
    ("histogram", "cookbook"),
    ("task group", "class-TaskGroup"),
    ("ThreadSanitizer", "faq"),
    ("blocking", "guide"),
    ("mutex", "guide"),
    ("own scheduler", "custom_policy"),
    ("Python", "c"),
    ("pipe", "pipelines"),
    ("version", "guarantees"),
    ("container", "faq"),
    ("slow first call", "faq"),
    ("speedup", "performance"),
    ("debug", "faq"),
    ("matrix", "cookbook"),
    ("install", "start"),
    ("co_await", "coroutines"),
    ("oversubscription", "faq"),
    ("debugging", "faq"),
    ("priority", "class-ScopeOptions"),
]
# Types a question, and returns the links of its hits, or "nothing"; null until the index is loaded.
ASK = """const field = document.getElementById('search-field');
field.focus(); field.value = arguments[0]; field.dispatchEvent(new Event('input'))"""
HITS = """const list = document.getElementById('search-hits');
return list.hidden ? null : list.querySelector('p') ? ['nothing'] : [...list.querySelectorAll('a')].map(a => a.href)"""
IS_IN_VIEW = """const {top} = document.getElementById(arguments[0]).getBoundingClientRect();
return 0 <= top && top < innerHeight"""

# All links of the page, including those made by scripts, and all anchors that a link may lead to.
LINKS = "return [...document.querySelectorAll('a[href], area[href]')].map(a => a.getAttribute('href'))"
PLACES = "return [...document.querySelectorAll('[id], a[name]')].flatMap(e => [e.id, e.getAttribute('name')])"
WIDTHS = [390, 768, 1280]  # a phone, a tablet, a desktop, in pixels
LEAST_TEXT = 300
TOO_WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Text that is cut off at the edge of its box, which does not scroll.
CUT_OFF = """return [...document.querySelectorAll('article *, #toc *, #side-nav *, header *')].filter(e => e.scrollWidth > e.clientWidth + 1 &&
e.clientWidth && getComputedStyle(e).overflowX === 'hidden').map(e => e.outerHTML.slice(0, 80))"""
# The lowest contrast between a text and its background (WCAG 2), and the text.
CONTRAST = """const luminance = color => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const background = e => { while (e) { const color = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(color)) return color;
    e = e.parentElement; } return 'rgb(255, 255, 255)'; };
let worst = [99, ''];
for (const e of document.querySelectorAll('body *')) {
  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.offsetParent) continue;
  const [low, high] = [getComputedStyle(e).color, background(e)].map(luminance).sort((a, b) => a - b), found = (high + 0.05) / (low + 0.05);
  if (found < worst[0]) worst = [found, e.textContent.slice(0, 40)];
}
return worst"""
LEAST_CONTRAST = 4.5  # level AA of WCAG 2
PAPER = "return getComputedStyle(document.body).backgroundColor"
TEXT = "return document.querySelector('article').getBoundingClientRect().toJSON()"
TREE = "return document.getElementById('side-nav').getBoundingClientRect().toJSON()"
BROKEN_PICTURES = "return [...document.images].filter(i => i.complete && i.naturalWidth === 0).map(i => i.src)"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """Serves the folder to this machine; the address of its root."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def start_browser():
    options = Options()
    arguments = ["--headless=new", "--window-size=1280,1400", "--hide-scrollbars", "--disable-gpu", "--disable-dev-shm-usage"]
    # Chromium has no sandbox for root.
    for argument in arguments + (["--no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ends = contextlib.ExitStack()
        cls.site = pathlib.Path(cls.ends.enter_context(tempfile.TemporaryDirectory())) / "site"
        subprocess.run([ROOT / "docs" / "build", cls.site], check=True, stdout=subprocess.DEVNULL)
        cls.root = cls.ends.enter_context(served(cls.site))
        cls.browser = start_browser()
        cls.ends.callback(cls.browser.quit)

    @classmethod
    def tearDownClass(cls):
        cls.ends.close()

    def setUp(self):
        self.set_width(1280)

    def open(self, page):
        self.browser.get(self.root + page)

    def set_width(self, width):
        metrics = {"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def until(self, condition):
        return WebDriverWait(self.browser, SECONDS).until(lambda _: condition())

    def tearDown(self):
        complaints = [entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual([entry["message"] for entry in complaints if "favicon.ico" not in entry["message"]], [])

    def hits(self, question):
        """The links of the hits, after the question was typed."""
        self.browser.execute_script(ASK, question)
        return self.until(lambda: self.browser.execute_script(HITS))

    def open_from_files(self, page):
        self.browser.get((self.site / page).as_uri())

    def test_the_search_answers_questions(self):
        self.open_from_files("index.html")
        for question, page in QUESTIONS:
            with self.subTest(question):
                found = [pathlib.PurePath(urllib.parse.urlsplit(link).path).name for link in self.hits(question)]
                self.assertIn(f"{page}.html", found[:3], found)
                self.assertLessEqual(len(found), 10)
        self.assertEqual(self.hits("xyzzy"), ["nothing"])

    def test_the_search_works_by_keys(self):
        self.open_from_files("guide.html")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#search-hits a"), [])
        field = self.browser.find_element(By.ID, "search-field")
        field.click()
        field.send_keys("parallel_f")
        box = self.browser.find_element(By.ID, "search-hits")
        self.until(box.is_displayed)
        first = box.find_element(By.TAG_NAME, "a")
        self.assertEqual(first.find_element(By.TAG_NAME, "b").text, "parallel_for")
        self.assertIn("parallel_for", first.find_element(By.TAG_NAME, "mark").text)
        field.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.browser.switch_to.active_element, first)
        first.send_keys(Keys.ESCAPE)
        self.assertFalse(box.is_displayed())
        field.send_keys("o")
        self.until(box.is_displayed)
        field.send_keys(Keys.ENTER)
        self.until(lambda: "call-parallel_for.html" in self.browser.current_url)
        # A hit in a section of a page leads to this section.
        self.browser.execute_script(ASK, "cancellation")
        self.until(lambda: self.browser.find_elements(By.CSS_SELECTOR, "#search-hits a[href*='guide.html#']"))[0].click()
        self.until(lambda: "guide.html#" in self.browser.current_url)
        place = urllib.parse.urlsplit(self.browser.current_url).fragment
        self.until(lambda: self.browser.execute_script(IS_IN_VIEW, place))

    def test_the_guide_leads_to_the_reference(self):
        self.open("index.html")
        self.until(lambda: self.browser.find_elements(By.LINK_TEXT, "Guide"))[0].click()
        self.until(lambda: self.browser.title.endswith("Guide"))
        self.browser.find_element(By.LINK_TEXT, "blitz::parallel_for").click()
        self.until(lambda: "call-parallel_for.html" in self.browser.current_url)
        self.assertIn("Calls f(x) for every x of range", self.browser.find_element(By.TAG_NAME, "article").text)
        self.open("guide.html")
        self.browser.find_element(By.CSS_SELECTOR, "table").find_element(By.LINK_TEXT, "sort").click()
        self.until(lambda: "call-sort.html" in self.browser.current_url)
        self.assertIn("blitz::sort(options, range, comp = {}, proj = {})", self.browser.find_element(By.CSS_SELECTOR, "pre.declaration").text)
        self.browser.find_element(By.LINK_TEXT, "Guide: Which call when").click()
        self.until(lambda: "guide.html#which-call-when" in self.browser.current_url)
        self.open("call-sort.html")
        self.browser.find_element(By.LINK_TEXT, "blitz/algorithm/sort.hpp").click()
        self.until(lambda: "source-sort.hpp.html#l" in self.browser.current_url)
        place = urllib.parse.urlsplit(self.browser.current_url).fragment
        self.until(lambda: self.browser.execute_script(IS_IN_VIEW, place))
        line = self.browser.execute_script("return document.getElementById(arguments[0]).closest('code').textContent.split('\\n')[arguments[1] - 1]",
                                           place, int(place[1:]))
        self.assertIn("SortFn> sort{}", line)

    def test_every_page_can_be_reached_and_fits_its_window(self):
        """Crawls the site."""
        places, wanted, to_visit = {}, {}, ["index.html"]
        while to_visit:
            page = to_visit.pop()
            self.open(page)
            places[page] = {place for place in self.browser.execute_script(PLACES) if place}
            with self.subTest(page=page):
                self.assertEqual(self.browser.execute_script(BROKEN_PICTURES), [])
            for width in WIDTHS:
                with self.subTest(page=page, width=width):
                    self.set_width(width)
                    self.assertEqual(self.browser.execute_script(TOO_WIDE), 0, "wider than the window, by as many pixels")
                    text, tree = self.browser.execute_script(TEXT), self.browser.execute_script(TREE)
                    self.assertGreaterEqual(text["width"], LEAST_TEXT)
                    self.assertGreaterEqual(text["left"], tree["right"], "the menu covers the text")
                    self.assertEqual(self.browser.execute_script(CUT_OFF), [])
            for link in set(self.browser.execute_script(LINKS)):
                url = urllib.parse.urlsplit(urllib.parse.urljoin(page, link))
                if url.scheme in ("http", "https"):
                    self.assertRegex(url.netloc, r"^[a-z0-9.-]+\.[a-z]+$", link)
                    continue
                if url.scheme == "javascript":
                    continue
                self.assertEqual(url.scheme, "", f"{page}: {link}")
                target = urllib.parse.unquote(url.path)
                if not target.endswith(".html"):
                    self.assertTrue((self.site / target).is_file(), f"{page}: {link} leads nowhere")
                    continue
                if target not in wanted:
                    wanted[target] = {}
                    if (self.site / target).is_file():
                        if target != "index.html":
                            to_visit.append(target)
                    else:
                        self.fail(f"{page}: {link} leads nowhere")
                if url.fragment:
                    wanted[target].setdefault(urllib.parse.unquote(url.fragment), page)
        self.assertGreater(len(places), 100)
        missing = [
            f"{page}: {target}#{place} is no place in it"
            for target, wanted_places in wanted.items()
            for place, page in wanted_places.items()
            if place not in places[target]
        ]
        self.assertEqual(missing, [])

    def test_a_phone_folds_the_menu_away(self):
        self.set_width(390)
        self.open("index.html")
        tree, button = self.browser.find_element(By.ID, "side-nav"), self.browser.find_element(By.ID, "menu")
        self.assertFalse(tree.is_displayed())
        button.click()
        self.assertTrue(tree.is_displayed())
        button.click()
        self.assertFalse(tree.is_displayed())
        button.click()
        self.until(lambda: self.browser.find_elements(By.LINK_TEXT, "Guide"))[0].click()
        self.until(lambda: self.browser.title.endswith("Guide"))
        self.assertFalse(self.browser.find_element(By.ID, "side-nav").is_displayed())
        self.set_width(1280)
        self.assertFalse(self.browser.find_element(By.ID, "menu").is_displayed())
        self.assertTrue(self.browser.find_element(By.ID, "side-nav").is_displayed())

    def test_the_table_of_contents_is_next_to_the_text_or_folded(self):
        """The table of contents: next to the text in a wide window, folded away in a narrow one."""
        self.open("guide.html")
        contents = self.browser.find_element(By.ID, "toc")
        self.assertGreaterEqual(contents.rect["x"], self.browser.execute_script(TEXT)["right"])
        contents.find_element(By.LINK_TEXT, "Cancellation").click()
        self.until(lambda: self.browser.execute_script(IS_IN_VIEW, "cancellation"))
        self.assertTrue(contents.is_displayed())
        self.set_width(390)
        self.open("guide.html")
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "#toc a").is_displayed())
        self.browser.find_element(By.CSS_SELECTOR, "#toc summary").click()
        self.assertTrue(self.browser.find_element(By.CSS_SELECTOR, "#toc a").is_displayed())

    def test_the_menu_opens_the_group_of_the_page(self):
        """The group of the page is open, and its link is marked."""
        self.open("inside.html")
        current = self.browser.find_element(By.CSS_SELECTOR, "#side-nav [aria-current]")
        self.assertEqual(current.text, "Inside")
        self.assertTrue(current.is_displayed())
        self.assertFalse(self.browser.find_element(By.CSS_SELECTOR, "#side-nav a[href='asio.html']").is_displayed())
        self.browser.find_element(By.XPATH, "//summary[.='Use beneath other libraries']").click()
        self.browser.find_element(By.LINK_TEXT, "Asio on blitz").click()
        self.until(lambda: self.browser.current_url.endswith("asio.html"))

    def test_a_button_copies_code(self):
        """The button of a code block copies its text."""
        self.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.open("start.html")
        block = self.browser.find_element(By.CSS_SELECTOR, ".block")
        expected = block.find_element(By.TAG_NAME, "code").text
        block.find_element(By.CLASS_NAME, "copy").click()
        self.until(lambda: block.find_element(By.CLASS_NAME, "copy").text == "Copied")
        copied = self.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(copied.strip(), expected.strip())

    def set_scheme(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def test_pages_are_light_or_dark_with_contrast(self):
        papers = {}
        for scheme in ("light", "dark"):
            self.set_scheme(scheme)
            for page, width in itertools.product(PICTURED, WIDTHS if PICTURES else [1280]):
                self.set_width(width)
                self.open(f"{page}.html")
                contrast, text = self.browser.execute_script(CONTRAST)
                self.assertGreaterEqual(contrast, LEAST_CONTRAST, f"{page}, {scheme}: {text}")
                if PICTURES:
                    PICTURES.mkdir(parents=True, exist_ok=True)
                    self.browser.save_screenshot(str(PICTURES / f"{page}-{width}-{scheme}.png"))
            papers[scheme] = self.browser.execute_script(PAPER)
        self.set_scheme("")
        self.assertNotEqual(papers["light"], papers["dark"])

    def test_a_button_changes_the_theme(self):
        self.set_scheme("light")
        self.open("index.html")
        light = self.browser.execute_script(PAPER)
        self.browser.find_element(By.ID, "theme").click()
        dark = self.browser.execute_script(PAPER)
        self.assertNotEqual(light, dark)
        self.open("guide.html")
        self.assertEqual(self.browser.execute_script(PAPER), dark)
        self.browser.find_element(By.ID, "theme").click()
        self.assertEqual(self.browser.execute_script(PAPER), light)
        self.browser.execute_script("localStorage.clear()")
        self.set_scheme("")


if __name__ == "__main__":
    for program in ("doxygen", "chromium", "chromedriver"):
        if shutil.which(program) is None:
            print(f"no {program}")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
