"""The bank of a chapter: wrong answers, each with the sentence of its mistake, and right ones.

A wrong answer stands in ``solutions/variants/`` in full, or as an edit of a right answer: a dict
from each text that changes to what it becomes. The file is read as data; nothing of it runs here.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.course import chapters
from autograder.course.chapters import load_chapter, path_in_course
from autograder.course_error import CourseError, unknown
from coursekit.checks import INPUT_CHANGED

# So many mistakes are expected to be known of every exercise.
WRONG_ANSWERS = 3


@dataclass(frozen=True)
class Variant:
    """An answer from the bank: wrong, with the sentence of its mistake, or right in another way."""

    exercise: str
    name: str
    mistake: str | None
    source: str


def bank_file(stem: str) -> Path:
    """Return where a chapter's bank is kept."""
    return chapters.ROOT / "solutions" / "variants" / f"{stem}.py"


@cache
def load_variants(stem: str) -> tuple[Variant, ...]:
    """Read a chapter's bank of wrong and of differently right answers.

    Raises `CourseError` with one line that names the file, the mistake and what is wrong with it.
    """
    return _Bank(stem).variants()


def require_answers(stem: str) -> None:
    """Raise `CourseError` where the bank lacks wrong or right answers to an exercise."""
    for exercise in load_chapter(stem).exercises:
        answers = [variant for variant in load_variants(stem) if variant.exercise == exercise.id]
        wrong = len({variant.name for variant in answers if variant.mistake})
        right = sum(not variant.mistake for variant in answers)
        if wrong < WRONG_ANSWERS or not right:
            raise CourseError(
                f"solutions/variants/{stem}.py, exercise {exercise.id}: the bank has {wrong} "
                f"mistakes and {right} right answers; write at least {WRONG_ANSWERS} and 1"
            )


def variants_of(stem: str, exercise: str) -> list[Variant]:
    """Return the answers to an exercise, in the order of the file."""
    ids = [each.id for each in load_chapter(stem).exercises]
    if exercise not in ids:
        raise unknown("exercise", exercise, ids)
    return [variant for variant in load_variants(stem) if variant.exercise == exercise]


def named_variants(stem: str, exercise: str, name: str) -> list[Variant]:
    """Return the answers to an exercise that are right under this name or make this mistake."""
    answers = variants_of(stem, exercise)
    found = [variant for variant in answers if variant.name == name]
    if not found:
        raise unknown(f"answer to {exercise}", name, [variant.name for variant in answers])
    return found


@cache
def variant_functions(stem: str, variant: Variant) -> dict[str, object]:
    """Run a variant beside the chapter's reference solution and return its functions by name."""
    namespace = dict(vars(load_chapter(stem).reference))
    exec(variant.source, namespace)
    return namespace


def variant_answer(stem: str, variant: Variant) -> str:
    """Return a variant as a student's cell: what it does not define is the reference's."""
    defined = {node.name for node in _definitions(variant.source)}
    reference = load_chapter(stem).exercise(variant.exercise).source
    others = [node for node in _definitions(reference) if node.name not in defined]
    return "\n\n\n".join([*map(ast.unparse, others), variant.source])


def _definitions(source: str) -> list[ast.FunctionDef | ast.ClassDef]:
    return [n for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]


class _Bank:
    """One file of variants while it is read: its sentences and the right answers that it edits."""

    def __init__(self, stem: str) -> None:
        self._path = bank_file(stem)
        chapter = load_chapter(stem)
        ids = [exercise.id for exercise in chapter.exercises]
        checks = ast.parse(inspect.getsource(chapter.checks))
        self._shared = {"INPUT_CHANGED": INPUT_CHANGED} | _sentences(checks.body)
        # By exercise and name: the sentences that stand beside an answer, and the right answers.
        self._beside: dict[tuple[str, str], str] = {}
        self._right: dict[tuple[str, str], str] = {}
        self._cells: list[NotebookNode] = []
        for cell in chapters.read_cells(self._path):
            exercise, name = (cell.metadata.get(key) for key in ("exercise", "right"))
            if not exercise:
                if cell.cell_type == "code":
                    self._shared |= _sentences(ast.parse(cell.source).body)
                continue
            if exercise not in ids:
                raise self._error(f"{stem} has no exercise {exercise!r}")
            if (exercise, name) in self._right:
                raise self._error(f"{exercise} has two right answers {name!r}; rename one")
            if name:
                self._right[exercise, name] = cell.source
            self._cells.append(cell)

    def variants(self) -> tuple[Variant, ...]:
        """List the answers in the order of the file."""
        # A sentence may stand beside a later answer that makes the same mistake.
        answers = [answer for cell in self._cells for answer in self._answers(cell)]
        return tuple(
            Variant(exercise, name, self._sentence(exercise, name) if wrong else None, source)
            for exercise, name, wrong, source in answers
        )

    def _sentence(self, exercise: str, mistake: str) -> str:
        sentence = self._beside.get((exercise, mistake)) or self._shared.get(mistake)
        if not sentence:
            problem = (
                f"{exercise} has no sentence for it; write one beside the answer, or at the top of "
                "the file if several exercises share it"
            )
            raise self._error(problem, mistake)
        return sentence

    def _answers(self, cell: NotebookNode) -> Iterator[tuple[str, str, bool, str]]:
        """Yield the exercise, the name, whether it is wrong, and the source of a cell's answers."""
        exercise = cell.metadata["exercise"]
        match [cell.metadata.get(key) for key in ("right", "wrong", "edits")]:
            case [str(right), None, None]:
                yield exercise, right, False, cell.source
            case [None, str(mistake), None]:
                yield exercise, mistake, True, self._whole(exercise, mistake, cell.source)
            case [None, shared, str(right)]:
                for mistake, edit in self._edits(exercise, shared, cell.source):
                    yield exercise, mistake, True, self._edited(exercise, mistake, right, edit)
            case _:
                raise self._error(
                    f'a cell of {exercise} needs right="…" or wrong="…" or edits="…" with the name '
                    "of a right answer"
                )

    def _whole(self, exercise: str, mistake: str, source: str) -> str:
        """Return a wrong answer in full, without its sentence if that stands before it."""
        first = ast.parse(source).body[0]
        sentence = _sentences([first]).get(mistake)
        if sentence is None:
            return source
        self._put_beside(exercise, mistake, sentence)
        return "\n".join(source.splitlines()[first.end_lineno :]).strip("\n")

    def _edits(
        self, exercise: str, shared: str | None, source: str
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the mistake and the dict of each edit in a cell; note the sentences beside them."""
        for statement in ast.parse(source).body:
            match statement:
                case ast.Expr(value=value) if shared:
                    mistake, edits, form = shared, [_literal(value)], "write dicts alone"
                case ast.Assign(targets=[ast.Name(id=mistake)], value=value) if not shared:
                    found = _literal(value)
                    sentence, *edits = found if isinstance(found, tuple) else [None]
                    form = f'write {mistake} = "sentence", {{"was": "is"}}'
                    if not isinstance(sentence, str) or not edits:
                        raise self._error(f"this is not a mistake with its edits; {form}", mistake)
                    self._put_beside(exercise, mistake, sentence)
                case _:
                    line = ast.unparse(statement).partition("\n")[0]
                    raise self._error(f"{exercise} has an edit that cannot be read: {line}")
            for edit in edits:
                if not _is_edit(edit):
                    raise self._error(f"this is not an edit of plain texts; {form}", mistake)
                yield mistake, edit

    def _put_beside(self, exercise: str, mistake: str, sentence: str) -> None:
        if mistake in self._shared or (exercise, mistake) in self._beside:
            problem = (
                f'its sentence is there already; mark the cell with wrong="{mistake}", or choose '
                "another name"
            )
            raise self._error(problem, mistake)
        self._beside[exercise, mistake] = sentence

    def _edited(self, exercise: str, mistake: str, name: str, edit: dict[str, str]) -> str:
        """Return a right answer with each text of an edit replaced, which stands in it once."""
        if (exercise, name) not in self._right:
            names = [right for other, right in self._right if other == exercise]
            raise self._error(str(unknown(f"right answer to {exercise}", name, names)), mistake)
        right = self._right[exercise, name]
        places = []
        for was, becomes in edit.items():
            if right.count(was) != 1:
                problem = (
                    f'{_quoted(was)} is in the answer "{name}" {right.count(was)} times; '
                    "it must be there exactly once"
                )
                raise self._error(problem, mistake)
            places.append((right.index(was), was, becomes))
        places.sort()
        for (start, was, _), (after, other, _) in pairwise(places):
            if start + len(was) > after:
                problem = f'{_quoted(was)} and {_quoted(other)} overlap in the answer "{name}"'
                raise self._error(f"{problem}; make them one text", mistake)
        for start, was, becomes in reversed(places):
            right = right[:start] + becomes + right[start + len(was) :]
        try:
            ast.parse(right)
        except SyntaxError as error:
            problem = f'the edited answer "{name}", line {error.lineno}: {error.msg}'
            raise self._error(problem, mistake) from error
        return right

    def _error(self, problem: str, mistake: str | None = None) -> CourseError:
        where = path_in_course(self._path) + (f", {mistake}" if mistake else "")
        return CourseError(f"{where}: {problem}")


def _literal(node: ast.expr) -> Any:
    """Return what is written, None for an expression that would have to run."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _is_edit(edit: Any) -> bool:
    texts = [*edit, *edit.values()] if isinstance(edit, dict) else []
    return bool(texts) and all(isinstance(text, str) for text in texts)


def _quoted(text: str) -> str:
    """Quote a text in one line."""
    return '"' + text.replace("\n", "\\n") + '"'


def _sentences(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """Return the constants of a module that are texts: the sentences that name mistakes."""
    return {
        node.targets[0].id: node.value.value
        for node in statements
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
