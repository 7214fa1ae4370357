"""The exceptions that embd raises."""

from __future__ import annotations

import builtins


class Error(Exception):
    """A failure of embd. The message says what was found, what was expected, and where.

    code: the kind of failure, such as "bad_magic". The codes are the names of ErrorCode in include/embd/error.h.
    file: the path of the file concerned, or None.
    offset: the place of the fault in the file, a byte counted from 0, or None.
    line: the line of the fault in the file, counted from 1, or None.

    Some errors are an exception of Python, too: ValueError for invalid arguments, FileNotFoundError, OSError and
    MemoryError for failures of the system.
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
    """The error for an argument, or a combination of arguments, that a function does not accept.

    It is a ValueError, too.
    """


class NotFoundError(Error, builtins.FileNotFoundError):
    """The error for a file, or a model of a given name, that does not exist. It is a FileNotFoundError, too."""


class IoError(Error, builtins.OSError):
    """The error for a file that the system could not read or write, and for a hub that could not be reached.

    It is an OSError, too.
    """


class OutOfMemoryError(Error, builtins.MemoryError):
    """The error for too little memory. It is a MemoryError, too."""


_CLASSES: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "not_found": NotFoundError,
    "io_failed": IoError,
    "out_of_memory": OutOfMemoryError,
}


def make_error(
    message: str, code: str, file: str | None = None, offset: int | None = None, line: int | None = None
) -> Error:
    """Returns an exception of the class that belongs to the code. The binding calls it for errors of the library."""
    return _CLASSES.get(code, Error)(message, code, file, offset, line)
