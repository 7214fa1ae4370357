"""Errors of the library, as exceptions."""

from __future__ import annotations

import builtins


class Error(Exception):
    """A failure: what was found, what was expected, and where.

    code: such as "bad_magic"; the names of ErrorCode in include/embd/error.h.
    file: its path, or None where no file is concerned.
    offset: the byte in it, from 0, or None.
    line: the line in it, from 1, or None.

    An error that Python has a class for is of that class too: ValueError for what the caller asked,
    FileNotFoundError, OSError and MemoryError for what the system said.
    """

    def __init__(
        self,
        message: str,
        code: str = "invalid_argument",
        file: str | None = None,
        offset: int | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.file = file
        self.offset = offset
        self.line = line

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.code, self.file, self.offset, self.line)


class InvalidArgumentError(Error, ValueError):
    """The caller asked for what cannot be."""


class NotFoundError(Error, builtins.FileNotFoundError):
    """A file that is not there."""


class IoError(Error, builtins.OSError):
    """The system could not read or write."""


class OutOfMemoryError(Error, builtins.MemoryError):
    """There was no memory."""


_CLASSES: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "not_found": NotFoundError,
    "io_failed": IoError,
    "out_of_memory": OutOfMemoryError,
}


def make_error(
    message: str, code: str, file: str | None = None, offset: int | None = None, line: int | None = None
) -> Error:
    """Called by the binding."""
    return _CLASSES.get(code, Error)(message, code, file, offset, line)
