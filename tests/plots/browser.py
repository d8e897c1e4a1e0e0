# SPDX-License-Identifier: MIT
"""Chromium without a window, driven over its debugging pipe: pages as a reader sees them.

    python3 tests/plots/browser.py REPORT.html OUT.png [WIDTH] [light|dark] [HEIGHT]

The second form of use writes a picture of a page; without HEIGHT, of the whole page.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 60
TALLEST = 16000  # pixels of a picture


def find():
    """The path of a Chromium, None if none is installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one Chromium. `problems` holds errors of scripts and of the console."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # see __exit__
        into, self.to = os.pipe()
        self.from_, out = os.pipe()
        words = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
                 "--disable-background-networking", "--remote-debugging-pipe",
                 f"--user-data-dir={self.folder.name}", "about:blank"]
        # Chromium reads commands from descriptor 3 and answers to descriptor 4.
        shell = ["sh", "-c", f'exec 3<&{into} 4>&{out} && exec "$@"', "sh", *words]
        self.process = subprocess.Popen(shell, pass_fds=(into, out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(out)
        self.number, self.rest, self.session, self.events = 0, b"", None, []
        target = next(each for each in self.send("Target.getTargets")["targetInfos"]
                      if each["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()  # its children may still write for a moment
        os.close(self.to)
        os.close(self.from_)
        self.folder.cleanup()

    def send(self, method, **parameters):
        """The result of a command of the DevTools protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _message(self):
        while b"\0" not in self.rest:
            got = os.read(self.from_, 1 << 20)
            if not got:
                raise RuntimeError("Chromium ended")
            self.rest += got
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(self, path, width=1300, height=900, scheme="light", scripts=True):
        """Shows a file at this width."""
        self.events = []
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Page.navigate", url=Path(path).resolve().as_uri())
        until = time.monotonic() + PATIENCE_S
        while not any(each["method"] == "Page.loadEventFired" for each in self.events):
            if time.monotonic() > until:
                raise TimeoutError(f"{path} was not loaded")
            self.events.append(self._message())

    def run(self, script):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    @property
    def problems(self):
        """What the console shows as an error, and exceptions."""
        self.run("0")  # all events until now
        return [each["params"] for each in self.events
                if each["method"] == "Runtime.exceptionThrown"
                or each["method"] == "Log.entryAdded"
                and each["params"]["entry"]["level"] in ("error", "warning")]

    @property
    def requests(self):
        """The addresses that the page fetched, apart from itself and what it contains."""
        return [url for each in self.events if each["method"] == "Network.requestWillBeSent"
                and not (url := each["params"]["request"]["url"]).startswith(("data:", "file:"))]

    def move_to(self, selector, nth=0):
        """Moves the pointer onto an element."""
        x, y = self.run(f"(() => {{ const one = document.querySelectorAll({selector!r})[{nth}];"
                        "one.scrollIntoView({block: 'center'});"
                        "const box = one.getBoundingClientRect();"
                        "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector, nth=0):
        x, y = self.move_to(selector, nth)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        """A key: Tab, Enter, Escape, or one character."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32}.get(key, 0)
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                  windowsVirtualKeyCode=code)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, height=None):
        """The bytes of a PNG of the page."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "scale": 1,
                "height": height or min(size["height"], TALLEST)}
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip=clip)
        return base64.b64decode(shot["data"])


if __name__ == "__main__":
    page, picture, *more = sys.argv[1:]
    with Browser() as browser:
        browser.open(page, int(more[0]) if more else 1300, scheme=more[1] if more[1:] else "light")
        Path(picture).write_bytes(browser.picture(int(more[2]) if more[2:] else None))
        print(*browser.problems, *browser.requests, sep="\n")
