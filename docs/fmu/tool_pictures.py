"""Draws the pictures of FMPy's window and web page with an FMU of this project.

FMPy's window needs ``pip install "fmpy[complete]"``, its web page ``chromedriver``. The page loads
its style sheet from the network; without one, put ``bootstrap.min.css`` in the folder ``assets``
of ``fmpy/webapp``.

::

    python -m docs.fmu.tool_pictures build/fmi3/vehicle.fmu
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).resolve().parents[1] / "images" / "tools"
RECORD = IMAGES / "tools.json"
START = {"chassis.speed": "12", "steer.angle": "0.05"}
"""What is typed into the columns of start values: m/s, rad."""
PLOTTED = ("chassis.x", "chassis.y")
SIZE = (900, 600)
"""Pixels."""
_PORT = 8631
_TRIES = 60


def digest() -> str:
    """Return a digest of what makes the pictures: this file."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]


def window(fmu: Path) -> None:
    """Open the FMU in FMPy's window, set start values, simulate, and look at its documentation."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu")
    from fmpy.gui.MainWindow import MainWindow
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication([])
    main: Any = MainWindow()
    main.resize(*SIZE)
    main.show()
    main.load(str(fmu))

    def type_values() -> None:
        main.startValues.update(START)
        tree = main.ui.treeView
        for row in range(tree.model().rowCount()):
            group = tree.model().index(row, 0)
            if any(name.startswith(f"{group.data()}.") for name in START):
                tree.expand(group)

    def simulate() -> None:
        main.selectedVariables.clear()
        main.selectedVariables.update(
            variable
            for variable in main.modelDescription.modelVariables
            if variable.name in PLOTTED
        )
        main.startSimulation()

    steps = (  # ms, by when the last one has been drawn
        (2000, type_values),
        (3000, lambda: main.grab().save(str(IMAGES / "fmpy_settings.png"))),
        (3500, simulate),
        (22000, lambda: main.grab().save(str(IMAGES / "fmpy_result.png"))),
        (22500, lambda: main.setCurrentPage(main.ui.documentationPage)),
        (32000, lambda: main.grab().save(str(IMAGES / "fmpy_documentation.png"))),
        (32500, app.quit),
    )
    for at, step in steps:
        QTimer.singleShot(at, step)
    app.exec()


def web_page(fmu: Path) -> None:
    """Serve the FMU with FMPy's web app, type start values, and press Simulate."""
    from selenium import webdriver
    from selenium.webdriver.common.by import By

    names = [*START, "chassis.mass"]
    served = [sys.executable, "-m", "fmpy.webapp", str(fmu), "--port", str(_PORT)]
    server = subprocess.Popen([*served, "--start-values", *names, "--output-variables", *PLOTTED])
    options = webdriver.ChromeOptions()
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(option)
    browser = webdriver.Chrome(options=options)
    browser.set_window_size(SIZE[0], SIZE[1] + 330)
    try:
        for _ in range(_TRIES):
            try:
                browser.get(f"http://127.0.0.1:{_PORT}/")
                break
            except Exception:  # it does not answer yet
                time.sleep(0.5)
        time.sleep(3)
        for name, value in START.items():
            label = browser.find_element(By.XPATH, f"//*[normalize-space(text())='{name}']")
            field = label.find_element(By.XPATH, "following::input[1]")
            field.clear()
            field.send_keys(value)
        browser.find_element(By.ID, "simulate-button").click()
        time.sleep(3)
        browser.save_screenshot(str(IMAGES / "fmpy_web.png"))
    finally:
        browser.quit()
        server.terminate()


def main() -> None:
    """Draw all of them, and note what made them."""
    import fmpy

    fmu = Path(sys.argv[1])
    IMAGES.mkdir(parents=True, exist_ok=True)
    window(fmu)
    web_page(fmu)
    record = {"digest": digest(), "FMPy": fmpy.__version__}
    RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
