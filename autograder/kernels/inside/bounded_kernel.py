"""A kernel for students' work: whatever a cell raises, shows or prints, the answer is bounded."""

import contextlib
import functools
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ipykernel.zmqshell import ZMQInteractiveShell
from traitlets import Type

from .errors import LONGEST_MESSAGE, LONGEST_NAME, NO_MESSAGE, describe_error
from .forked_kernel import ForkedKernel, ForkedShell
from .naming import keeps_name

# Of one error, in characters: all that is shown of it.
LONGEST_TRACEBACK = 200_000


@keeps_name
class BoundedShell(ForkedShell):
    """A shell that asks an error for its message once, and shows a bounded part of it."""

    # The last error that was shown, and its description.
    _described: tuple[BaseException | None, str, str] = (None, "", "")

    def showtraceback(
        self,
        exc_tuple: tuple[type, BaseException, TracebackType] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Show an error, with its traceback unless it is long or has code of its own to show it."""
        _, error, _ = exc_tuple or sys.exc_info()
        if error is None:  # IPython says so
            return super().showtraceback(exc_tuple, *args, **kwargs)
        # IPython would ask for both several times, and show all of it.
        name, message = describe_error(error)
        self._described = error, name, message
        is_long = len(name) == LONGEST_NAME or len(message) == LONGEST_MESSAGE
        if not (is_long or message.startswith(NO_MESSAGE)):
            # The error has more code of its own, which IPython runs to describe it.
            with contextlib.suppress(BaseException):
                return super().showtraceback(exc_tuple, *args, **kwargs)
        kernel = self.kernel
        content = _failure(name, message)
        del content["status"]
        topic, parent = kernel._topic("error"), kernel.get_parent("shell")
        kernel.session.send(kernel.iopub_socket, "error", content, parent, ident=topic)

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        left: int = LONGEST_TRACEBACK
        kept: list[str] = []
        for line in reversed(stb):  # the end of it says the most
            kept.append(line[-left:] if left else "")
            left -= len(kept[-1])
        super()._showtraceback(etype, evalue, kept[::-1])

    # The kernel looks at its parameters to see what it may pass.
    @functools.wraps(ZMQInteractiveShell.run_cell_async)
    async def run_cell_async(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        result = await super().run_cell_async(*args, **kwargs)
        for place in ("error_before_exec", "error_in_exec"):
            error = getattr(result, place)
            if error is not None:  # the reply would ask it for its message once more
                described, name, message = self._described
                if described is not error:
                    name, message = describe_error(error)
                setattr(result, place, type(name, (Exception,), {})(message))
        self._described = (None, "", "")
        return result

    def _format_exception_for_storage(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        # For its history IPython would describe each error once more.
        return {}


@keeps_name
class BoundedKernel(ForkedKernel):
    """A kernel that answers every request, and one for a value without running a cell."""

    shell_class = Type(BoundedShell)

    async def execute_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Run a cell, or evaluate expressions alone; an error is an answer, too."""
        content = parent["content"]
        try:
            if content.get("silent") and not content.get("code"):
                expressions = content.get("user_expressions", {})
                self._reply(self._values(expressions), stream, ident, parent)
            else:
                await super().execute_request(stream, ident, parent)
        except BaseException as error:  # of the student's code, or because of what it made
            self._reply(_failure(*describe_error(error)), stream, ident, parent)

    def _reply(
        self, content: dict[str, Any], stream: Any, ident: Any, parent: dict[str, Any]
    ) -> None:
        assert self.session is not None
        self.session.send(stream, "execute_reply", content, parent, ident=ident)

    def _values(self, expressions: Mapping[str, str]) -> dict[str, Any]:
        """Return the content of a reply with what expressions give."""
        values = {name: self._value(expression) for name, expression in expressions.items()}
        # Figures that it has made are not to appear under the next cell.
        assert self.shell is not None
        self.shell.events.trigger("post_execute")
        return {"status": "ok", "user_expressions": values, "payload": []}

    def _value(self, expression: str) -> dict[str, Any]:
        try:
            # As IPython does it.
            assert self.shell is not None
            value = eval(expression, self.shell.user_global_ns, self.shell.user_ns)
            return {"status": "ok", "data": value._repr_mimebundle_(), "metadata": {}}
        except BaseException as error:
            return _failure(*describe_error(error))

    def _publish_status(
        self, status: str, channel: str, parent: dict[str, Any] | None = None
    ) -> None:
        # A check waits for the reply alone. That a kernel is busy and idle again would be two
        # messages to each, on a channel that takes as long as all the rest.
        request = parent or self.get_parent(channel)
        if not request.get("content", {}).get("silent"):
            super()._publish_status(status, channel, parent)


def _failure(name: str, message: str) -> dict[str, Any]:
    text = f"{name}: {message}"
    return {"status": "error", "ename": name, "evalue": message, "traceback": [text]}
