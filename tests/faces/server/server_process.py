"""A server as a child of a test: known when it listens, and gone when the test is."""
import ctypes
import re
import signal
import subprocess
import threading

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """For preexec_fn: however the test ends, by a signal or a time limit, too, its child ends with it."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class ServerProcess:
    """From when the server listens to when it has ended. `command` becomes the server."""

    def __init__(self, command, **popen):
        self.process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True,
                                        preexec_fn=die_with_parent, **popen)
        self.lines = []  # of its standard error
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            found = re.fullmatch(r"listening on (http://(\[?[0-9.:a-f]+\]?):(\d+))\n", line)
            if found:
                self.url, self.host, self.port = found[1], found[2].strip("[]"), int(found[3])
                break
        else:
            self.process.wait()
            raise RuntimeError(f"no server: {self.lines}")
        self.reader = threading.Thread(target=lambda: self.lines.extend(
            line.rstrip("\n") for line in self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        """A server that cannot end well, by a leak that a sanitizer found, say, fails its test."""
        self.process.terminate()
        status = self.wait()
        if status != 0 and failure is None:
            raise AssertionError(f"the server ended with {status}: {self.lines[-40:]}")

    def wait(self, timeout=60):
        """Its exit status. One that does not end is killed, and that is an error."""
        try:
            return self.process.wait(timeout)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join()
            self.process.stderr.close()
