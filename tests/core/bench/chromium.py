"""A headless Chromium without a network, spoken to over a pipe in the DevTools protocol: nothing listens on a port."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_LIMIT = 60.0
"""Seconds after which the browser is given up; nothing waits as long unless it hangs."""
_EXEC = "import os, sys; a = sys.argv; os.dup2(int(a[1]), 3); os.dup2(int(a[2]), 4); os.execv(a[3], a[3:])"
"""The browser reads from 3 and writes to 4; a function to run between fork and exec may deadlock where threads are."""


def found() -> str | None:
    """The path of a Chromium, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A running browser; to be used with ``with``."""

    def __init__(self, path: str, profile: Path) -> None:
        self._log = (profile.parent / "chromium.log").open("wb")
        theirs_in, self._out = (_above_ten(one) for one in os.pipe())
        self._in, theirs_out = (_above_ten(one) for one in os.pipe())
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", _EXEC, str(theirs_in), str(theirs_out)),
                *(path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}"),
                *("--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
                *("--disable-extensions", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND"),
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            pass_fds=(theirs_in, theirs_out),
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, EOFError):
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._log.close()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        for reply in self._messages():
            if reply.get("id") == self._last:
                assert "error" not in reply, (method, reply["error"])
                result: dict[str, Any] = reply["result"]
                return result
            self.events.append(reply)
        raise EOFError("the browser closed its pipe")

    def _messages(self) -> Iterator[dict[str, Any]]:
        until = time.monotonic() + _LIMIT
        while True:
            one, end, rest = self._buffer.partition(b"\0")
            if end:
                self._buffer = rest
                yield json.loads(one)
                continue
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self._in, 1 << 20)
            if not more:
                return
            self._buffer += more

    def open(self, file: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> Page:
        return Page(self, file, width, height, dark)


class Page:
    """A file, opened in a tab of its own; it has loaded, and its charts are drawn or were given up."""

    def __init__(self, browser: Browser, file: Path, width: int, height: int, dark: bool) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._target = target
        self.dark(dark)
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=file.as_uri())
        self.evaluate(
            "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def dark(self, dark: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def evaluate(self, script: str) -> Any:
        """The value of an expression, or what its promise gives."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> Any:
        """Waits, in the page, until an expression is true, and returns it."""
        look = f"const is = ({condition}); is ? done(is) : setTimeout(look, 10);"
        return self.evaluate(f"new Promise(done => {{ const look = () => {{ {look} }}; look(); }})")

    def events(self, *methods: str) -> list[dict[str, Any]]:
        return [
            one["params"]
            for one in self._browser.events
            if one.get("sessionId") == self._session and one["method"] in methods
        ]

    def complaints(self) -> list[dict[str, Any]]:
        """Whatever stands in the console: errors, refusals of the policy, what a script logged, what it threw."""
        return self.events("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")

    def requests(self) -> list[str]:
        return [one["request"]["url"] for one in self.events("Network.requestWillBeSent")]

    def screenshot(self, file: Path) -> None:
        """The whole page, at its whole height."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        """The colour that is shown at a point of the viewport."""
        clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
        return png_pixel(base64.b64decode(self.call("Page.captureScreenshot", clip=clip)["data"]))

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)


def png_pixel(png: bytes) -> tuple[int, int, int]:
    """The first pixel of a PNG of eight bits a channel. No filter changes it: nothing stands above it or before it."""
    assert png.startswith(b"\x89PNG")
    at, packed, colours = 8, b"", 0
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IHDR":
            depth, colours = png[at + 16], png[at + 17]
            assert (depth, colours in (2, 6)) == (8, True)
        elif kind == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += 12 + length
    red, green, blue = zlib.decompress(packed)[1:4]
    return red, green, blue


def _above_ten(descriptor: int) -> int:
    """Another number for a descriptor, so that it is neither of those that the browser expects."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved
