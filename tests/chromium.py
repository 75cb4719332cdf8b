"""A headless Chromium, spoken to in the DevTools protocol over a pair of pipes.

No driver and no package of Python: the browser reads JSON from its descriptor 3 and
writes JSON to 4, each message ended by a zero byte.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time

# `chromium` is Debian's name; the others are those of other systems.
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60


def executable():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One page in one browser; `events` keeps all that the browser told."""

    def __init__(self, profile):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        redirect = f'exec "$0" "$@" 3</dev/fd/{to_browser} 4>/dev/fd/{from_browser}'
        self._process = subprocess.Popen(
            [
                "sh",
                "-c",
                redirect,
                executable(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--force-prefers-reduced-motion",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        answer = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Send a command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def _next(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], deadline - time.monotonic())
            data = os.read(self._in, 1 << 20) if ready else b""
            assert data, "Chromium does not answer"
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, path, width=1280, height=900, **media):
        """Load a file in a window of this size; `media` are CSS media features."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": k.replace("_", "-"), "value": v} for k, v in media.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        deadline = time.monotonic() + PATIENCE
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._next(deadline))

    def ask(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def complaints(self):
        """What the console, the log and uncaught errors say."""
        told = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in told]

    def requests(self):
        """Addresses that were asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def screenshot(self, path):
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {**size, "scale": 1}
        answer = self.call(
            "Page.captureScreenshot", clip=clip, captureBeyondViewport=True
        )
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self):
        """The printed page."""
        answer = self.call("Page.printToPDF", preferCSSPageSize=False)
        return base64.b64decode(answer["data"])

    def close(self):
        self._session = None
        self.call("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._out)
        os.close(self._in)
