"""What students get: their notebooks, coursekit and the list of packages, in one zip."""

import io
import re
import zipfile
from pathlib import Path

from autograder.course.chapters import ROOT
from autograder.course.release import build
from autograder.files import replace_file

# What the notebooks and coursekit import, JupyterLab, and nbgrader for its button "Validate".
STUDENT_PACKAGES = frozenset(
    "babel jupyterlab keras markdown-it-py matplotlib mdit-py-plugins nbgrader networkx numpy"
    " pandas python-dateutil scikit-learn scipy tensorflow threadpoolctl".split()
)
BUNDLE_FILES = {
    "README.md": """# From Recurrence to Attention: your notebooks

With Python 3.10, 3.11 or 3.12, in this folder:

    python -m venv .venv
    .venv/bin/pip install -r requirements.txt
    .venv/bin/pip install --no-deps .
    .venv/bin/jupyter lab notebooks

(on Windows the programs are in `.venv\\Scripts`). Solve `assignment.ipynb` of a chapter, press
*Validate*, and hand in that one file.
""",
    "pyproject.toml": """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "coursekit"
version = "0.1.0"

[tool.setuptools]
packages = ["coursekit", "coursekit.checks", "coursekit.figures"]

[tool.setuptools.package-data]
coursekit = ["data/*", "checks/recorded/*.json", "figures/*"]
""",
}


def bundle(file, stems):
    """Write the zip that students get and return its path.

    The notebooks are built from their sources: what somebody has solved, run or edited in
    `notebooks/` reaches no student.
    """
    contents = {ROOT / "requirements.txt": _student_requirements()}
    for path in sorted((ROOT / "coursekit").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            contents[path] = path.read_bytes()
    contents |= build(stems)
    packed = io.BytesIO()
    folder = "from-recurrence-to-attention"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            archive.writestr(f"{folder}/{path.relative_to(ROOT)}", content)
        for name, text in BUNDLE_FILES.items():
            archive.writestr(f"{folder}/{name}", text)
    replace_file(file, packed.getvalue())
    return Path(file)


def _student_requirements():
    """Take the lines of the packages that a student needs from the course's own list."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(
        line for line in lines if re.split(r"[^\w.-]", line, maxsplit=1)[0] in STUDENT_PACKAGES
    )
