"""Writes verdicts into nbgrader's own gradebook, one transaction a submission."""

from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import or_, select, update
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.orm import selectinload

from autograder.course.assignment import Assignment as CourseAssignment
from autograder.course_error import CourseError
from autograder.grading.errors import first_line
from autograder.grading.late_policy import LatePolicy
from autograder.intake.exchange import utc_time
from autograder.results import ManualEntries, ManualMarks, Outcome, Result, Status

# The columns of a mark that a person sets in formgrader.
_BY_HAND = ("manual_score", "extra_credit", "needs_manual_grade")
# How long to wait for another program that writes the gradebook, such as formgrader.
SECONDS_FOR_A_LOCK = 5.0


class GradebookUnavailable(CourseError):
    """The gradebook cannot be written just now: locked, full or its server down."""


class CourseGradebook:
    """The gradebook of a course, in SQLite beside it or on a PostgreSQL server by URL."""

    def __init__(self, course: str | Path, url: str | None = None) -> None:
        path = Path(course) / "gradebook.db"
        if url is None and not path.is_file():
            raise CourseError(
                f"{course} has no gradebook.db; `autograder release --course {course}` makes one"
            )
        self.url = url or f"sqlite:///{path.resolve()}?timeout={SECONDS_FOR_A_LOCK}"
        self.name = "gradebook.db" if url is None else url.rsplit("@")[-1]
        try:
            self._gradebook = Gradebook(self.url)
        except OperationalError as error:
            raise GradebookUnavailable(f"{self.name}: {_reason(error)}") from error
        except (SQLAlchemyError, ImportError) as error:
            raise CourseError(
                f"{self.name} cannot be read as a gradebook: {_reason(error)}"
            ) from error

    def close(self) -> None:
        self._gradebook.close()

    def check_assignment(self, assignment: CourseAssignment) -> None:
        """Raise `CourseError` unless the gradebook has the assignment's cells and their points."""
        stem = assignment.stem
        with self._errors():
            known = self._one(select(Assignment).where(Assignment.name == stem))
            cells = {cell.name: cell.max_score for cell in self._grade_cells(known)}
        if cells != {exercise.check_id: exercise.points for exercise in assignment.exercises}:
            problem = "has other exercises than this version of" if known else "does not have"
            command = assignment.release_command()
            raise CourseError(f"{self.name} {problem} {stem}; run `{command}` first")

    def write(self, result: Result, entered: ManualEntries | None, confirm: bool = False) -> None:
        """Replace every mark of a submission in one transaction.

        What people entered stays when ``entered`` is None, because the submission has not changed;
        otherwise ``entered`` takes its place. With ``confirm`` nobody knows for which submission it
        was entered: it stays, and formgrader asks for the marks once more. Raises
        `GradebookUnavailable` when nothing could be written, and `ValueError` when the database
        refuses this result; nothing is written then.
        """
        with self._transaction() as session:
            self._replace(session, result, entered, confirm)

    def students(self) -> list[str]:
        """Return the names of all students."""
        with self._errors():
            return sorted(self._gradebook.db.scalars(select(Student.id)))

    def remove_student(self, student: str) -> bool:
        """Remove a student with every submission and mark; return whether there was one."""
        with self._errors():
            known = self._gradebook.db.get(Student, student) is not None
            if known:
                self._gradebook.remove_student(student)
            return known

    def overwrite_what_was_removed(self) -> None:
        """Make rows that were deleted unreadable: until then they are in the database's file."""
        with self._errors():
            engine = self._gradebook.engine.execution_options(isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                connection.exec_driver_sql("VACUUM")

    def entered(self, result: Result) -> ManualEntries:
        """Return what people have entered for the student of a result; nothing of what is empty."""
        # As in `_submission`: without its conditions the rows of the whole class are read.
        of_assignment = (
            select(Notebook.id).join(Assignment).where(Assignment.name == result.assignment)
        )
        cells = select(BaseCell.id).where(BaseCell.notebook_id.in_(of_assignment))
        theirs = (
            select(SubmittedNotebook.id)
            .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
            .where(
                Assignment.name == result.assignment,
                SubmittedAssignment.student_id == result.student,
                SubmittedNotebook.notebook_id.in_(of_assignment),
            )
        )
        with self._errors():
            notebooks = list(self._gradebook.db.scalars(theirs))

            def rows(table: Any, *columns: Any) -> Any:
                return self._gradebook.db.execute(
                    select(BaseCell.name, *columns)
                    .join_from(table, BaseCell, table.cell_id == BaseCell.id)
                    .where(table.cell_id.in_(cells), table.notebook_id.in_(notebooks))
                )

            marks = {
                cell: dict(zip(_BY_HAND, values, strict=True))
                for cell, *values in rows(Grade, *(getattr(Grade, name) for name in _BY_HAND))
            }
            comments = {
                cell: text
                for cell, text in rows(Comment, Comment.manual_comment)
                if text is not None
            }
        has_marks = any(
            mark["manual_score"] is not None or mark["extra_credit"] for mark in marks.values()
        )
        return ManualEntries(marks if has_marks else {}, comments)

    def marks(self, stem: str) -> dict[str, dict[str, float]]:
        """Return the marks that checks gave for an assignment: by student, then by cell."""
        marks: dict[str, dict[str, float]] = defaultdict(dict)
        with self._errors():
            for student, cell, score in self._rows(stem, Grade, Grade.auto_score):
                marks[student][cell] = score
        return dict(marks)

    def manual_marks(self, stem: str) -> dict[str, ManualMarks]:
        """Return what people entered for an assignment, by student."""
        points: dict[str, dict[str, float]] = defaultdict(dict)
        comments: dict[str, dict[str, str]] = defaultdict(dict)
        with self._errors():
            marked = or_(Grade.manual_score.is_not(None), Grade.extra_credit.is_not(None))
            for student, cell, score in self._rows(stem, Grade, Grade.score, marked):
                if math.isfinite(score):
                    points[student][cell] = score
            commented = Comment.manual_comment.is_not(None)
            for student, cell, text in self._rows(stem, Comment, Comment.manual_comment, commented):
                comments[student][cell] = text
            waiting = self._rows(stem, Grade, Grade.score, Grade.needs_manual_grade)
            undecided = {student for student, _, _ in waiting}
        return {
            student: ManualMarks(
                points.get(student, {}), comments.get(student, {}), student not in undecided
            )
            for student in points.keys() | comments.keys()
        }

    def due_date(self, stem: str) -> datetime | None:
        """Return when an assignment is due, in UTC without a zone; None if no date is set."""
        with self._errors():
            due: datetime | None = self._one(
                select(Assignment.duedate).where(Assignment.name == stem)
            )
            return due

    def apply_late_policy(self, stem: str, policy: LatePolicy) -> dict[str, tuple[float, float]]:
        """Give every late submission of an assignment its penalty, and return what is late.

        A due date, an extension or a mark may have changed since a submission was graded, so all
        penalties are set again. Returns by student the seconds late and the points taken off.
        """
        late: dict[str, tuple[float, float]] = {}
        with self._transaction() as session:
            assignment = session.scalar(select(Assignment).where(Assignment.name == stem))
            submissions = SubmittedAssignment.assignment_id == assignment.id
            ids = select(SubmittedAssignment.id).where(submissions)
            session.execute(
                update(SubmittedNotebook)
                .where(SubmittedNotebook.assignment_id.in_(ids))
                .values(late_submission_penalty=None)
            )
            found = select(SubmittedAssignment).where(submissions)
            for submission in session.scalars(found) if assignment.duedate else ():
                if seconds := submission.total_seconds_late:
                    penalty = self._penalize(submission, policy, seconds)
                    late[submission.student_id] = (seconds, penalty)
        return late

    def _penalize(self, submission: Any, policy: LatePolicy, seconds: float) -> float:
        total = 0.0
        for notebook in submission.notebooks:
            penalty = policy.penalty(submission.student_id, notebook.score, seconds)
            notebook.late_submission_penalty = penalty
            total += penalty
        return total

    def _rows(self, stem: str, table: Any, value: Any, *conditions: Any) -> Any:
        """Select student, cell and a value of every row of a table, for an assignment."""
        of_submission = SubmittedNotebook.assignment_id == SubmittedAssignment.id
        return self._gradebook.db.execute(
            select(SubmittedAssignment.student_id, BaseCell.name, value)
            .join_from(table, BaseCell, table.cell_id == BaseCell.id)
            .join(SubmittedNotebook, table.notebook_id == SubmittedNotebook.id)
            .join(SubmittedAssignment, of_submission)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
            .where(Assignment.name == stem, *conditions)
        )

    def _replace(
        self, session: Any, result: Result, entered: ManualEntries | None, confirm: bool
    ) -> None:
        assignment = session.scalar(select(Assignment).where(Assignment.name == result.assignment))
        student = session.get(Student, result.student)
        if student is None:
            student = Student(id=result.student)
            session.add(student)
        submission = self._submission(session, assignment, student)
        submission.timestamp = utc_time(result.submitted_at)
        exercises = {exercise.check_id: exercise for exercise in result.exercises}
        comments = {exercise.exercise: exercise for exercise in result.exercises}
        all_wait = result.status is Status.NEEDS_REVIEW and not result.needs_only_cell_marks
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                exercise = exercises[grade.cell.name]
                grade.auto_score = exercise.points
                if entered is not None:
                    grade.manual_score = grade.extra_credit = None
                by_hand = grade.manual_score is not None or bool(grade.extra_credit)
                if confirm and by_hand:
                    grade.needs_manual_grade = True
                elif grade.manual_score is None:  # else decided, or somebody is still deciding
                    waits = exercise.outcome is Outcome.NOT_GRADED or all_wait
                    grade.needs_manual_grade = waits
                if entered is not None:
                    for name, value in entered.marks.get(grade.cell.name, {}).items():
                        setattr(grade, name, value)
            for comment in notebook.comments:
                if entered is not None:
                    comment.manual_comment = entered.comments.get(comment.cell.name)
                # The answer of an instructor's notebook has no verdict: the tests after it have.
                verdict = comments.get(comment.cell.name)
                not_written = verdict and verdict.outcome is Outcome.NOT_WRITTEN
                mistake = verdict and verdict.mistake
                comment.auto_comment = "No response." if not_written else mistake

    def _submission(self, session: Any, assignment: Any, student: Any) -> Any:
        """Load a student's submission with its marks and comments, or make one."""
        notebooks = select(Notebook.id).where(Notebook.assignment_id == assignment.id)
        cells = select(BaseCell.id).where(BaseCell.notebook_id.in_(notebooks))
        # One query a table instead of one a cell. The conditions say nothing new; without them
        # there is no index, and the rows of the whole class are read for each student.
        of_submission = selectinload(
            SubmittedAssignment.notebooks.and_(SubmittedNotebook.notebook_id.in_(notebooks))
        )
        grades = SubmittedNotebook.grades.and_(Grade.cell_id.in_(cells))
        comments = SubmittedNotebook.comments.and_(Comment.cell_id.in_(cells))
        submission = session.scalar(
            select(SubmittedAssignment)
            .where(
                SubmittedAssignment.assignment_id == assignment.id,
                SubmittedAssignment.student_id == student.id,
            )
            .options(
                of_submission.selectinload(grades).joinedload(Grade.cell),
                of_submission.selectinload(comments).joinedload(Comment.cell),
            )
        )
        if submission is None:
            with session.no_autoflush:
                submission = SubmittedAssignment(assignment=assignment, student=student)
                for notebook in assignment.notebooks:
                    submitted = SubmittedNotebook(notebook=notebook, assignment=submission)
                    for cell in (*notebook.grade_cells, *notebook.task_cells):
                        Grade(cell=cell, notebook=submitted)
                    for cell in (*notebook.solution_cells, *notebook.task_cells):
                        Comment(cell=cell, notebook=submitted)
            session.add(submission)
        return submission

    def _grade_cells(self, assignment: Any) -> list[Any]:
        notebooks = assignment.notebooks if assignment else []
        return [cell for nb in notebooks for cell in (*nb.grade_cells, *nb.task_cells)]

    def _one(self, statement: Any) -> Any:
        return self._gradebook.db.scalar(statement)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Yield a session: what is done in it is written whole, or not at all."""
        with self._errors():
            session = self._gradebook.db
            try:
                yield session
                session.commit()
            except BaseException:
                session.rollback()
                raise
            finally:
                session.expunge_all()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            raise GradebookUnavailable(f"{self.name}: {_reason(error)}") from error
        except (DataError, IntegrityError) as error:
            # What was to be written is wrong, not the gradebook.
            raise ValueError(f"{self.name} refuses it: {_reason(error)}") from error
        except DatabaseError as error:
            raise CourseError(f"{self.name} is damaged: {_reason(error)}; restore it") from error


def _reason(error: BaseException) -> str:
    """Return what the database says, without the statement that SQLAlchemy adds to it."""
    return first_line(getattr(error, "orig", None) or error)
