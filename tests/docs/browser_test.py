#!/usr/bin/env python3
"""Uses the web site of the documentation as a reader does, in a browser.

    browser_test.py ROOT [FOLDER]

- The search works from a file system, without a server. For each question of QUESTIONS, a good page is one of the first three
  hits. parallel_for leads to the reference, also by keys.
- The guide leads to the reference, through the calls in its code examples.
- Every page can be reached from the start page, and no link is dead. Links to other sites are checked, not followed.
- Each picture is shown, and no script reports an error.
- On a phone, a tablet and a desktop, no page is wider than its window, the text has room, and the navigation tree does not cover
  it. On a phone the tree is folded away, and a button shows it.
- If the system's theme is dark, the pages are dark.

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
PICTURED = ["index", "md_docs_guide", "classblitz_1_1BasicThreadPool", "md_docs_inside", "md_docs_performance"]
SECONDS = 30  # until a page must have reacted

# A search, and the page that must be one of the first three hits.
QUESTIONS = [
    ("grain", "md_docs_guide"),
    ("exceptions", "md_docs_guide"),
    ("OpenMP", "md_docs_migrating"),
    ("Rayon", "md_docs_migrating"),
    ("data race", "md_docs_faq"),
    ("deadlock", "md_docs_guide"),
    ("progress", "md_docs_cookbook"),
    ("nested", "md_docs_faq"),
    ("false sharing", "md_docs_faq"),
    ("random", "md_docs_cookbook"),
    ("parallel_for", "namespaceblitz"),
    ("parallel for", "namespaceblitz"),
    ("ThreadPool", "namespaceblitz"),
    ("cancellation", "md_docs_guide"),
    ("how do I stop a loop", "structblitz_1_1ForOptions"),
    ("floating point sum differs", "md_docs_faq"),
    ("deterministic", "structblitz_1_1ReduceOptions"),
    ("NUMA", "md_docs_guide"),
    ("affinity", "structblitz_1_1ThreadPoolOptions"),
    ("fork()", "md_docs_faq"),
    ("coroutines", "md_docs_coroutines"),
    ("senders", "md_docs_senders"),
    ("tbb", "md_docs_tbb"),
    ("std::execution::par", "md_docs_std_execution"),
    ("MPI", "md_docs_mpi"),
    ("CMake", "md_docs_start"),
    ("Windows", "md_docs_guarantees"),
    ("thread_local", "md_docs_faq"),
    ("WorkerLocal", "classblitz_1_1WorkerLocal"),
    ("stack size", "structblitz_1_1ThreadPoolOptions"),
    ("sort", "md_docs_algorithms"),
    ("prefix sum", "md_docs_cookbook"),
    ("histogram", "md_docs_cookbook"),
    ("task group", "classblitz_1_1TaskGroup"),
    ("ThreadSanitizer", "md_docs_faq"),
    ("blocking", "md_docs_guide"),
    ("mutex", "md_docs_guide"),
    ("own scheduler", "md_docs_custom_policy"),
    ("Python", "md_docs_c"),
    ("pipe", "md_docs_pipelines"),
    ("version", "md_docs_guarantees"),
    ("container", "md_docs_faq"),
    ("slow first call", "md_docs_faq"),
    ("speedup", "md_docs_performance"),
    ("debug", "md_docs_faq"),
    ("matrix", "md_docs_cookbook"),
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
# In a wide window, the page is a part of the window with its own scroll bars.
TOO_WIDE = """return Math.max(...[document.getElementById('doc-content'), document.documentElement].map(e => e.scrollWidth - e.clientWidth))"""
TEXT = "return document.querySelector('div.contents').getBoundingClientRect().toJSON()"
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
        self.open_from_files("md_docs_guide.html")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#search-hits a"), [])
        field = self.browser.find_element(By.ID, "search-field")
        field.click()
        field.send_keys("parallel_f")
        box = self.browser.find_element(By.ID, "search-hits")
        self.until(box.is_displayed)
        first = box.find_element(By.TAG_NAME, "a")
        self.assertEqual(first.find_element(By.TAG_NAME, "b").text, "blitz: parallel_for()")
        self.assertIn("parallel_for", first.find_element(By.TAG_NAME, "mark").text)
        field.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.browser.switch_to.active_element, first)
        first.send_keys(Keys.ESCAPE)
        self.assertFalse(box.is_displayed())
        field.send_keys("o")
        self.until(box.is_displayed)
        field.send_keys(Keys.ENTER)
        self.until(lambda: "namespaceblitz.html#" in self.browser.current_url)
        place = urllib.parse.urlsplit(self.browser.current_url).fragment
        self.until(lambda: self.browser.execute_script(IS_IN_VIEW, place))

    def test_the_guide_leads_to_the_reference(self):
        self.open("index.html")
        self.until(lambda: self.browser.find_elements(By.LINK_TEXT, "Guide"))[0].click()
        self.until(lambda: self.browser.title.endswith("Guide"))
        self.browser.find_element(By.LINK_TEXT, "blitz::parallel_for").click()
        self.until(lambda: "guide" not in self.browser.current_url)
        place = urllib.parse.urlsplit(self.browser.current_url).fragment
        self.assertTrue(place)
        text = self.browser.find_element(By.CSS_SELECTOR, "div.contents").text
        self.assertIn("Calls f(x) for every x of range", text)

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
                    self.assertGreaterEqual(text["left"], tree["right"], "the tree covers the text")
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

    def test_dark_pages_are_inverted_light_ones(self):
        filters = {}
        for scheme in ("light", "dark"):
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            for page, width in itertools.product(PICTURED, WIDTHS) if PICTURES else [("index", 1280)]:
                self.set_width(width)
                self.open(f"{page}.html")
                if PICTURES:
                    PICTURES.mkdir(parents=True, exist_ok=True)
                    self.browser.save_screenshot(str(PICTURES / f"{page}-{width}-{scheme}.png"))
            filters[scheme] = self.browser.execute_script("return getComputedStyle(document.documentElement).filter")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assertEqual(filters["light"], "none")
        self.assertIn("invert", filters["dark"])


if __name__ == "__main__":
    for program in ("doxygen", "chromium", "chromedriver"):
        if shutil.which(program) is None:
            print(f"no {program}")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
