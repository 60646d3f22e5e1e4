"""Who may import whom: the folders of the repository, and the rooms of the autograder."""

import ast

import pytest

from autograder.course.chapters import ROOT

# From the ground floor upwards: a room imports what stands before it, never what stands behind it.
FLOORS = (
    "files",
    "results",
    "course_error",
    "untrusted",
    "course",
    "translation",
    "checking",
    "hidden",
    "building",
    "kernels",
    "reports",
    "platforms",
    "intake",
    "grading",
    "demo",
    "cli",
    "__main__",
)
# What each folder may import of the others.
FOLDERS = {
    "coursekit": set(),
    "solutions": {"coursekit"},
    "autograder": {"coursekit", "solutions"},
    "bookext": {"autograder", "coursekit"},
}
PLACES = {"bookext": "book/_ext"}
OURS = {*FOLDERS, "benchmarks", "tests"}
# The folder that is copied into the sandbox, where of ours there is only coursekit beside it.
INSIDE = "autograder/kernels/inside/"


def imported(path):
    """Yield the full name of every module that a file imports, inside functions, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if INSIDE in path.as_posix() and node.level == 1:
                continue  # it imports its neighbours, wherever the folder has been copied to
            assert not node.level, f"{path} has a relative import; write the full name"
            # In `from autograder.course import chapters` the name may be a module's.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forbidden_imports(root):
    """List the imports below a folder that no room or no folder may have, one line for each."""
    lines = []
    for folder, allowed in FOLDERS.items():
        for path in sorted((root / PLACES.get(folder, folder)).rglob("*.py")):
            where = path.relative_to(root).as_posix()
            for module in imported(path):
                top = module.partition(".")[0]
                if INSIDE in path.as_posix() and top in OURS - {"coursekit"}:
                    lines.append(f"{where} imports {module}, which is not in the sandbox")
                elif top in OURS - allowed - {folder}:
                    lines.append(f"{where} imports {module}, which is no business of {folder}")
                elif folder == top == "autograder" and _floor(module) > _floor(where):
                    lines.append(f"{where} imports {module}, which is on a higher floor")
    return lines


def _floor(name):
    """Return on which floor a module stands, named as a module or by its path."""
    parts = name.removesuffix(".py").replace("/", ".").split(".")
    assert parts[1] == "__init__" or parts[1] in FLOORS, f"{name}: name its room in FLOORS"
    return -1 if parts[1] == "__init__" else FLOORS.index(parts[1])


def test_no_import_runs_upward():
    assert forbidden_imports(ROOT) == []
    checked = list((ROOT / "autograder").rglob("*.py")) + list((ROOT / "book/_ext").rglob("*.py"))
    assert len(checked) > 80


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("autograder/results.py", "from autograder.grading import run", "on a higher floor"),
        ("autograder/intake/entries.py", "import autograder.grading.run", "on a higher floor"),
        ("autograder/course/chapters.py", "from autograder import hidden", "on a higher floor"),
        ("autograder/grading/run.py", "def f():\n    import autograder.demo", "on a higher floor"),
        ("coursekit/datasets.py", "import solutions.ch01_rnn_basics", "no business of coursekit"),
        ("solutions/ch01.py", "from autograder.course import chapters", "no business of solutions"),
        ("autograder/grading/run.py", "import bookext.pdf", "no business of autograder"),
        ("book/_ext/pdf.py", "from tests import conftest", "no business of bookext"),
        ("autograder/kernels/inside/a.py", "import autograder.files", "not in the sandbox"),
    ],
)
def test_an_import_that_runs_upward_is_found(tmp_path, file, line, complaint):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"import json\nfrom coursekit import datasets\n{line}\n")
    beside = tmp_path / "autograder" / "grading" / "beside.py"
    beside.parent.mkdir(parents=True, exist_ok=True)
    beside.write_text("from autograder.course import chapters\nimport autograder.files\n")
    (found,) = forbidden_imports(tmp_path)
    assert found.startswith(f"{file} imports ") and complaint in found
