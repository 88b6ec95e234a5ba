# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program on its own terminal, reads the screen like a user, and measures response times.

tmux, which the other screen tests use, cannot measure times below a tenth of a second.
"""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

SEQUENCE = re.compile(rb"\x1b(?:\[([0-9;?]*)([@-~])|[()][A-Za-z0-9]|[=>78DEHMc])|[\x0e\x0f]")


class Terminal:
    """The sequences of TERM=vt100; others are ignored."""

    def __init__(self, command, columns=120, rows=40, environment=None):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.waiting = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update({"TERM": "vt100", "LC_ALL": "C.UTF-8"}, **(environment or {}))
            os.environ.pop("NO_COLOR", None)
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = time.monotonic()

    def put(self, text):
        for character in text:
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.row = min(self.row + 1, self.rows - 1)
            elif character == "\b":
                self.column = max(self.column - 1, 0)
            elif character == "\t":
                self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
            elif character >= " ":
                if self.column >= self.columns:
                    self.row, self.column = min(self.row + 1, self.rows - 1), 0
                self.cells[self.row][self.column] = character
                self.column += 1

    def erase(self, first, last):
        for at in range(first, last):
            self.cells[at // self.columns][at % self.columns] = " "

    def control(self, arguments, letter):
        numbers = [int(n) if n.isdigit() else 0 for n in arguments.split(";")] + [0, 0]
        step = max(numbers[0], 1)
        here = self.row * self.columns + min(self.column, self.columns - 1)
        start = self.row * self.columns
        if letter in "Hf":
            self.row = min(max(numbers[0], 1), self.rows) - 1
            self.column = min(max(numbers[1], 1), self.columns) - 1
        elif letter in "ABCD":
            self.row += {"A": -step, "B": step}.get(letter, 0)
            self.column += {"C": step, "D": -step}.get(letter, 0)
            self.row = min(max(self.row, 0), self.rows - 1)
            self.column = min(max(self.column, 0), self.columns - 1)
        elif letter == "J":
            self.erase(*[(here, self.rows * self.columns), (0, here + 1),
                         (0, self.rows * self.columns)][min(numbers[0], 2)])
        elif letter == "K":
            self.erase(*[(here, start + self.columns), (start, here + 1),
                         (start, start + self.columns)][min(numbers[0], 2)])

    def take(self, data):
        data, self.waiting = self.waiting + data, b""
        at = 0
        while at < len(data):
            escape = min((n for n in (data.find(c, at) for c in (b"\x1b", b"\x0e", b"\x0f")) if n >= 0),
                         default=len(data))
            text = data[at:escape]
            if text:
                whole = text.decode("utf-8", "ignore")
                rest = len(text) - len(whole.encode())
                if rest and escape == len(data) and rest < 4:  # an incomplete character continues later
                    self.waiting = text[-rest:]
                self.put(whole)
            at = escape
            if at == len(data):
                return
            match = SEQUENCE.match(data, at)
            if not match and len(data) - at < 32:
                self.waiting = data[at:]
                return
            if match and match.group(2):
                self.control(match.group(1).decode(), match.group(2).decode())
            at = match.end() if match else at + 1

    def read(self, timeout_s):
        """Reads output that arrives within this time. Returns False if there is none."""
        if not select.select([self.fd], [], [], max(timeout_s, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            data = b""
        if not data:
            self.reap(os.WNOHANG)
            time.sleep(0.005)
            return False
        self.take(data)
        return True

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def until(self, pattern, timeout_s=60):
        """Returns the seconds until the screen matches a pattern, or a function of its text; None: not in time."""
        begin = time.monotonic()
        shows = pattern if callable(pattern) else lambda text: re.search(pattern, text, re.M)
        while not shows(self.text()):
            left = begin + timeout_s - time.monotonic()
            if left <= 0 or self.status is not None:
                return None
            self.read(min(left, 0.5))
        return time.monotonic() - begin

    def keys(self, keys):
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)

    def answer(self, keys, pattern, timeout_s=60):
        """Returns the seconds from the keys to their effect on the screen; None: not in time."""
        while self.read(0):
            pass
        self.keys(keys)
        return self.until(pattern, timeout_s)

    def reap(self, how=0):
        if self.status is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def ended(self, timeout_s=60):
        """Returns the seconds until the program has ended; None: not in time."""
        begin = time.monotonic()
        while self.reap(os.WNOHANG) is None:
            if time.monotonic() - begin > timeout_s:
                return None
            self.read(0.01)
        return time.monotonic() - begin

    def close(self):
        if self.reap(os.WNOHANG) is None:
            os.kill(self.pid, signal.SIGKILL)
            self.reap()
        os.close(self.fd)
