"""What students get: their notebooks, coursekit and the list of packages, in one zip."""

from __future__ import annotations

import ast
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from babel.messages.pofile import read_po, write_po

from autograder.building.release import build
from autograder.course import chapters
from autograder.course.source_digest import imported_files
from autograder.course.variants import load_variants
from autograder.files import replace_file
from autograder.translation.catalogue import catalogue_path, kit_catalogue_path
from coursekit.languages import LOCALES

# What the notebooks and coursekit import, JupyterLab, and nbgrader for its button "Validate".
STUDENT_PACKAGES = frozenset(
    "babel jupyterlab keras markdown-it-py matplotlib mdit-py-plugins nbgrader networkx numpy"
    " pandas python-dateutil scikit-learn scipy tensorflow threadpoolctl".split()
)
# `coursekit` can do without them: they open the notebooks and validate them.
_FOR_NOTEBOOKS = {"jupyterlab", "nbgrader"}
_README = """# From Recurrence to Attention: your notebooks

With Python 3.10, 3.11 or 3.12, in this folder:

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.txt
    .venv/bin/pip install --no-deps .
    .venv/bin/jupyter lab notebooks

On Windows, Python is called `python`, and the programs are in `.venv\\Scripts`.

Read `lesson.ipynb` of a chapter and solve its `assignment.ipynb`. Press *Validate*, which names
every exercise that is not right yet, and hand in `assignment.ipynb` alone. Chapters with a Chinese
edition have it in `notebooks/zh`.
"""
# Without versions: an environment that has the packages, such as Google Colab, keeps its own.
_PYPROJECT = f"""[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "coursekit"
version = "0.1.0"
dependencies = {json.dumps(sorted(STUDENT_PACKAGES - _FOR_NOTEBOOKS))}

[tool.setuptools]
packages = ["coursekit", "coursekit.checks", "coursekit.figures"]

[tool.setuptools.package-data]
coursekit = ["data/*", "checks/recorded/*.json", "figures/*", "locale/*/*/*.po"]

[tool.setuptools.data-files]
"etc/jupyter/labconfig" = ["page_config.json"]
"""
# In the place of the checks of a chapter that is not packed, for whoever opens its notebook.
_NOT_HERE = """raise ImportError(
    "the checks of {stem} are not installed; in the folder with your .venv, type `.venv/bin/pip "
    "install --no-deps FOLDER` (on Windows `.venv\\\\Scripts\\\\pip …`), where FOLDER is the "
    "unpacked zip that contained this chapter"
)
"""
# Of nbgrader a student's own computer needs the button "Validate". The rest is for instructors, who
# can change points and locks with it, or for an exchange that is not there. And no question about
# news is to lie over the notebook when JupyterLab starts for the first time.
PAGE_CONFIG = {
    "disabledExtensions": {
        f"@jupyter/nbgrader:{name}": True
        for name in ("assignment-list", "course-list", "create-assignment", "formgrader", "menu")
    }
    | {"@jupyterlab/apputils-extension:announcements": True}
}


def bundle(file: str | Path, stems: Iterable[str]) -> Path:
    """Write the zip that students get and return its path.

    The notebooks are built from their sources: what somebody has solved, run or edited in
    `notebooks/` reaches no student.
    """
    replace_file(file, packed(Path(file).stem, dict(build(stems))))
    return Path(file)


def packed(folder: str, files: Mapping[Path, str]) -> bytes:
    """Pack built files, a mapping from path to text, with all that they need; return the zip.

    All lies in one ``folder``. Where that is the zip's own name, zips can be unpacked side by side
    and none replaces what belongs to another. Of the recorded examples only those among the files
    are packed, and of the checks, with the sentences of their mistakes, those of the same chapters.
    """
    contents: dict[Path, str | bytes] = {
        chapters.ROOT / "requirements.txt": _student_requirements()
    }
    for path in sorted((chapters.ROOT / "coursekit").rglob("*")):
        if path.is_file() and not {"__pycache__", "recorded"} & {*path.parts}:
            contents[path] = path.read_bytes()
    _leave_out_other_chapters(
        contents, [path.stem for path in files if path.parent.name == "recorded"]
    )
    contents |= files
    contents |= {
        chapters.ROOT / "README.md": _README,
        chapters.ROOT / "pyproject.toml": _PYPROJECT,
        chapters.ROOT / "page_config.json": json.dumps(PAGE_CONFIG, indent=2) + "\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            archive.writestr(f"{folder}/{path.relative_to(chapters.ROOT).as_posix()}", content)
    return buffer.getvalue()


def _leave_out_other_chapters(contents: dict[Path, str | bytes], stems: Iterable[str]) -> None:
    """Take away what the checks of chapters other than these say, in every language."""
    stems = list(stems)
    needed = imported_files(f"coursekit.checks.{stem}" for stem in stems)
    others = {*(chapters.ROOT / "coursekit" / "checks").glob("ch[0-9][0-9]_*.py")} - needed
    for path in others:
        contents[path] = _NOT_HERE.format(stem=path.stem)
    if not others:
        return
    for locale in LOCALES.values():
        path = kit_catalogue_path("mistakes", locale)
        translated = [s for s in stems if catalogue_path(f"notebooks/{s}/lesson", locale).exists()]
        sentences = {sentence for stem in translated for sentence in _sentences(stem)}
        with path.open("rb") as file:
            catalogue = read_po(file)
        for message in list(catalogue):
            if message.id and message.id not in sentences:
                catalogue.delete(message.id)
        written = io.BytesIO()
        write_po(written, catalogue, width=100)
        contents[path] = written.getvalue()
        if not len(catalogue):
            del contents[path]


def _sentences(stem: str) -> Iterable[str]:
    """Yield the sentences that name mistakes of a chapter, and all texts of its visible checks."""
    for variant in load_variants(stem):
        if variant.mistake:
            yield variant.mistake
    checks = chapters.read_source(chapters.ROOT / "coursekit" / "checks" / f"{stem}.py")
    for node in ast.walk(ast.parse(checks)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _student_requirements() -> str:
    """Take the lines of the packages that a student needs from the course's own list."""
    lines = (
        (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    )
    return "".join(
        line for line in lines if re.split(r"[^\w.-]", line, maxsplit=1)[0] in STUDENT_PACKAGES
    )
