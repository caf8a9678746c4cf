"""The gallery and the pages of the interface leave nothing out."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from PIL import Image

import mbcore
import mbcore.contact
import mbcore.fmi
import mbcore.vibration
from docs.site import gallery, gallery_examples, gallery_stored

DOCS = Path(__file__).parents[2] / "docs"


def test_every_example_is_in_one_group() -> None:
    grouped = [name for group in gallery_examples.GROUPS for name in group.examples]
    assert sorted(grouped) == gallery_examples.names()
    for group in gallery_examples.GROUPS:
        assert {gallery_examples.source(name).parent.name for name in group.examples} == {
            group.folder
        }
    assert set(grouped) >= gallery_examples.SHORT


def test_no_two_files_of_the_examples_have_the_same_name() -> None:
    """Pages, stored figures and commands name an example without its folder."""
    files = [file.stem for file in gallery_examples.EXAMPLES.rglob("*.py")]
    assert sorted(files) == sorted(set(files))


@pytest.mark.heavy
def test_the_digest_follows_what_an_example_imports() -> None:
    assert "bicycle_figures" in gallery_examples.helpers("bicycle")
    assert "bicycle_rider" in gallery_examples.helpers("bicycle")  # by way of its lane change
    assert len({gallery.digest(name) for name in gallery_examples.names()}) == len(
        gallery_examples.names()
    )


def test_stored_figures_stay_true_where_a_module_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_examples, "EXAMPLES", tmp_path)

    def digest(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return gallery.digest_of_example(name)

    before = digest("before", '"""Run it there."""\n\nfrom a import b, c\n\n\nx = b(1)\n')
    moved = '"""Run it here."""\n\nfrom d import c\nfrom e import (\n    b,\n)\n\nx = b(1)\n'
    assert digest("after", moved) == before
    said = moved.replace("x = b(1)", 'x = b(1)  # on Mars\n"""A number."""\n# and so on')
    assert digest("said", said) == before
    assert digest("other", moved.replace("1", "2")) != before


def test_the_digest_follows_what_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored picture is out of date where the camera or a form changes, not its words."""

    def digest(text: str) -> str:
        (tmp_path / "camera.py").write_text(text, encoding="utf-8")
        gallery.digest_of_drawing.cache_clear()
        gallery_examples.syntax.cache_clear()
        return gallery.digest_of_example("rotor")

    monkeypatch.setattr(gallery, "DRAWING", (tmp_path,))
    before = digest('"""A camera."""\n\nUSUAL = (-58.0, 20.0)\n')
    assert digest('"""The camera."""\n\nUSUAL = (-58.0, 20.0)\n') == before
    assert digest('"""A camera."""\n\nUSUAL = (-58.0, 24.0)\n') != before
    gallery.digest_of_drawing.cache_clear()


def test_the_digest_follows_a_part_where_an_example_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Springs drawn otherwise leave a picture without any of them as it is."""
    monkeypatch.setattr(gallery, "DRAWING", (tmp_path,))

    def digests(drawn: str) -> tuple[str, str]:
        (tmp_path / "springs.py").write_text(drawn, encoding="utf-8")
        for cached in (gallery.digest_of_drawing, gallery._digest_of_part, gallery_examples.syntax):
            cached.cache_clear()
        return gallery.digest_of_example("bottema"), gallery.digest_of_example("rotor")

    before, after = digests("WIDTH = 2.0\n"), digests("WIDTH = 3.0\n")
    assert before[0] != after[0] and before[1] == after[1]
    gallery.digest_of_drawing.cache_clear()
    gallery._digest_of_part.cache_clear()


def test_every_public_name_has_its_place_in_the_interface() -> None:
    documented: dict[str, set[str]] = {}
    for page in (DOCS / "api").glob("*.md"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            if found := re.match(r"\.\. (?:autoclass|autofunction|py:data):: (\w+)$", line):
                documented.setdefault(module, set()).add(found[1])
    for room in (mbcore, mbcore.contact, mbcore.fmi, mbcore.vibration):
        public = {name for name in room.__all__ if not name.startswith("__")}
        assert documented[room.__name__] == public, f"docs/api: {room.__name__}"


def test_every_example_has_a_picture_in_the_gallery() -> None:
    """A build runs none of them: what the repository stores is shown."""
    assert not [name for name in gallery_examples.names() if not gallery_stored.stored(name)]


def test_every_page_of_the_gallery_begins_with_its_mechanism() -> None:
    """``NAME_system``, which is the first figure wherever it is drawn."""
    for name in gallery_examples.names():
        sources = [
            gallery_examples.source(other) for other in (name, *gallery_examples.helpers(name))
        ]
        texts = [file.read_text("utf-8") for file in sources]
        begin = r"\bshow\w*\("  # `show`, or what draws a motion and calls it
        shows = re.compile(rf'{begin}(?:(?!{begin}).)*?"{name}"[,)]|"{name}_system"', re.DOTALL)
        assert any(shows.search(text) for text in texts), name
        if stored := gallery_stored.stored(name):
            assert stored[1][0].stem.endswith("_system"), name


def test_no_image_is_stored_twice() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=gallery_examples.ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("no repository")
    kinds = (".png", ".webp", ".gif", ".svg", ".jpg", ".jpeg")
    images = [
        gallery_examples.ROOT / file for file in listed.stdout.split("\0") if file.endswith(kinds)
    ]
    by_digest: dict[str, list[str]] = {}
    for image in images:
        if image.is_file():
            digest = hashlib.sha256(image.read_bytes()).hexdigest()
            by_digest.setdefault(digest, []).append(
                image.relative_to(gallery_examples.ROOT).as_posix()
            )
    assert len(by_digest) > 50
    assert not [files for files in by_digest.values() if len(files) > 1]


def test_a_picture_that_examples_share_is_stored_with_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_stored, "STORED", tmp_path / "stored")
    figure = tmp_path / "wheel_system.png"
    Image.effect_noise((60, 30), 20).save(figure)
    for name in ("bb", "aa", "bb"):
        gallery_stored.store(name, {}, [figure])
    found = {name: gallery_stored.stored(name) for name in ("aa", "bb")}
    assert len(list(tmp_path.glob("stored/*/*.webp"))) == 1
    assert found["aa"] == found["bb"]
    assert found["aa"] and found["aa"][1][0].is_file()


def test_a_picture_that_its_first_example_draws_no_longer_stays_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_stored, "STORED", tmp_path / "stored")

    def pixels(name: str) -> bytes:
        _, (file,) = gallery_stored.stored(name) or ({}, [Path()])
        return file.read_bytes()

    for name in ("aa", "bb", "cc"):
        Image.new("RGB", (60, 30), "white").save(tmp_path / f"{name}_system.png")
        gallery_stored.store(name, {"printed": name}, [tmp_path / f"{name}_system.png"])
    old = pixels("aa")
    Image.new("RGB", (60, 30), "red").save(tmp_path / "aa_system.png")
    gallery_stored.store("aa", {}, [tmp_path / "aa_system.png"])
    assert pixels("aa") != old
    assert pixels("bb") == pixels("cc") == old
    found = sorted(f.relative_to(tmp_path).as_posix() for f in tmp_path.glob("stored/*/*.webp"))
    assert found == ["stored/aa/aa_system.webp", "stored/bb/bb_system.webp"]
    Image.new("RGB", (60, 30), "red").save(tmp_path / "bb_system.png")
    gallery_stored.store("bb", {}, [tmp_path / "bb_system.png"])
    assert pixels("bb") == pixels("aa") != pixels("cc") == old
    assert (gallery_stored.stored("cc") or ({}, []))[0] == {"printed": "cc"}


def test_stored_figures_are_small_and_all_there() -> None:
    """A build shows what the repository stores."""
    stored = sorted(gallery_stored.STORED.glob("*/record.json"))
    sizes: dict[Path, int] = {}  # a picture that several examples share is stored once
    for record in stored:
        found = gallery_stored.stored(record.parent.name)
        assert found and found[1], record
        own = {f.name for f in found[1] if f.parent == record.parent}
        assert {file.name for file in record.parent.glob("*.webp")} == own
        assert all(file.is_file() for file in found[1]), record
        assert record.parent.name in gallery_examples.names()
        for file in found[1]:
            sizes[file] = file.stat().st_size
            with Image.open(file) as picture:
                assert picture.width == gallery_stored.WIDTH, file
    assert max(sizes.values()) <= gallery_stored.LARGEST
    assert sum(sizes.values()) <= 4.5e6


def test_a_figure_that_looks_as_before_keeps_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_stored, "STORED", tmp_path / "stored")
    figures = [tmp_path / f"{name}.png" for name in ("same", "faint", "other", "new")]
    noise = Image.effect_noise((60, 30), 20).convert("RGB")
    for figure in figures[:3]:
        noise.save(figure)
    assert set(gallery_stored.store("aa", {}, figures[:3]).values()) == {None}
    before = {f.stem: f.read_bytes() for f in tmp_path.glob("stored/aa/*.webp")}
    noise.point(lambda value: value + 3).save(figures[1])
    noise.paste("red", (0, 0, 30, 30))
    noise.save(figures[2])
    noise.save(figures[3])
    shares = gallery_stored.store("aa", {"digest": "x"}, figures)
    after = {f.stem: f.read_bytes() for f in tmp_path.glob("stored/aa/*.webp")}
    assert shares == {"same": 0, "faint": 0, "other": pytest.approx(0.5, abs=0.02), "new": None}
    assert {name for name in before if before[name] == after[name]} == {"same", "faint"}


@pytest.mark.heavy
def test_figures_are_stored_in_their_order_and_shown_until_there_is_a_newer_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_stored, "STORED", tmp_path / "stored")
    monkeypatch.setattr(gallery, "KEPT", tmp_path / "kept")
    folder = tmp_path / "kept" / "rotor"
    folder.mkdir(parents=True)
    for age, name in enumerate(("modes", "campbell")):
        Image.effect_noise((600, 300), 20).save(folder / f"{name}.png")
        os.utime(folder / f"{name}.png", (1e9 + age, 1e9 + age))
    record = gallery.Kept(gallery.digest("rotor"), 7.0, "2020-02-02", "printed")
    (folder / "record.json").write_text(json.dumps(asdict(record)), encoding="utf-8")

    gallery.keep("rotor")
    _, drawn = gallery.shown("rotor") or (None, [])
    assert [file.name for file in drawn] == ["modes.png", "campbell.png"]
    (folder / "record.json").unlink()
    found, drawn = gallery.shown("rotor") or (None, [])
    assert found == replace(record, digest=gallery.digest_of_example("rotor"))
    assert [file.name for file in drawn] == ["modes.webp", "campbell.webp"]
    assert all(file.stat().st_size <= gallery_stored.LARGEST for file in drawn)
