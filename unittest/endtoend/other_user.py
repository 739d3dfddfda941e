# SPDX-License-Identifier: GPL-2.0-only
"""Another user of the same node, who disturbs a job of somebody else: a program that becomes user nobody.

    other_user.py ACTION ARGUMENTS_AS_JSON

It prints `ready`, acts until its standard input ends, and then prints what it has done, as JSON. Orders come as lines
of standard input.

* `take_names`: watches /dev/shm, and makes files with the names that the job would use next.
* `leave_names`: makes files that look like those of a job that was killed, and says afterwards which have changed.
* `meddle`: tries to open, change and remove all that a job makes in /dev/shm.
* `look_into`: tries to read memory and descriptors of processes.
* `connect`: connects to ports, one for each order `port NUMBER`, in one of the `MANNERS`.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import queue
import random
import re
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

NOBODY = 65534

SHM = Path("/dev/shm")

NAME = re.compile(r"tofu-([0-9a-f]{16})-(\d+)-([0-9a-f]{16})$")
"""Job, rank and number of a segment."""

CONTENT = b"of another user\n" * 512

NEXT = 24
"""How many numbers of segments are taken beforehand, counted from the last one that was seen."""


class Orders:
    """Lines of standard input, read by a thread of its own."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.lines: queue.Queue = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self.lines.put(line.split())
        self.over.set()


def become_nobody() -> None:
    """Give up all rights of root, for good; on few cores it must still be fast enough to see what ranks do."""
    os.nice(-10)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    signal.signal(signal.SIGIO, signal.SIG_IGN)    # sent when somebody opens a file with a lease


# ---- files


def make_file(path: Path, victim: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.write(descriptor, CONTENT)
    os.fchmod(descriptor, 0o666)
    os.close(descriptor)


def make_empty_file(path: Path, victim: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.fchmod(descriptor, 0o666)
    os.close(descriptor)


def make_large_file(path: Path, victim: Path) -> None:
    """As large as any segment, so that it can be mapped and written to."""
    make_file(path, victim)
    os.truncate(path, 1 << 28)


def make_locked_file(path: Path, victim: Path) -> None:
    make_file(path, victim)
    fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)    # as long as this process lives


def make_leased_file(path: Path, victim: Path) -> None:
    """Whoever opens this file waits until the holder of the lease gives it back, or for 45 s."""
    make_file(path, victim)
    fcntl.fcntl(os.open(path, os.O_RDWR), fcntl.F_SETLEASE, fcntl.F_WRLCK)


def make_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def make_dangling_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim.with_name("not-there"))


def make_pipe(path: Path, victim: Path) -> None:
    os.mkfifo(path)
    path.chmod(0o666)


def make_folder(path: Path, victim: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def make_socket(path: Path, victim: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.bind(str(path))
        except OSError as failure:
            raise FileExistsError(path) from failure
    path.chmod(0o666)


KINDS: Dict[str, Callable[[Path, Path], None]] = {
    "file": make_file, "empty": make_empty_file, "large": make_large_file, "locked": make_locked_file,
    "leased": make_leased_file, "link": make_link, "dangling": make_dangling_link, "pipe": make_pipe,
    "folder": make_folder, "socket": make_socket}
"""Kind -> function that makes such a thing; `victim`: a file of the other user, which must stay as it is."""


def state_of(path: Path) -> Optional[List[int]]:
    """All that changes when somebody removes, replaces, writes or opens it in another way; None if it is gone."""
    try:
        info = path.lstat()
    except FileNotFoundError:
        return None
    return [info.st_ino, info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, info.st_nlink]


def remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.rmdir() if stat.S_ISDIR(path.lstat().st_mode) else path.unlink()


class NewNames:
    """Names of segments as they appear in /dev/shm, also of those that have vanished again."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK)
        created = 0x100
        if self._descriptor < 0 or libc.inotify_add_watch(self._descriptor, os.fsencode(SHM), created) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def wait(self, seconds: float) -> List[str]:
        """The names since the last call; waits at most this long for the first one."""
        if not select.select([self._descriptor], [], [], seconds)[0]:
            return []
        events = os.read(self._descriptor, 1 << 16)
        names, at = [], 0
        while at < len(events):
            length = struct.unpack_from("I", events, at + 12)[0]
            names.append(events[at + 16:at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        return [name for name in names if NAME.match(name)]


class Things:
    """What this user has made, and how it was."""

    def __init__(self) -> None:
        self.states: Dict[Path, Optional[List[int]]] = {}

    def make(self, kind: str, path: Path, victim: Path) -> bool:
        """Make something; False if the name is taken."""
        try:
            KINDS[kind](path, victim)
        except FileExistsError:
            return False
        self.states[path] = state_of(path)
        return True

    def changed(self) -> List[str]:
        """Names of the things that are no longer what they were."""
        return [path.name for path, state in self.states.items() if state_of(path) != state]

    def remove_all(self) -> None:
        for path in self.states:
            remove(path)


def take_names(orders: Orders, kind: str, victim: str, ranks: List[int]) -> Dict:
    """Make things with the names of the segments that these ranks of a job may make next."""
    things, jobs, names = Things(), set(), NewNames()
    say_ready()
    while not orders.over.is_set():
        for job, _, newest in [NAME.match(name).groups() for name in names.wait(0.05)]:
            if job not in jobs:
                jobs.add(job)
                for number in range(int(newest, 16), int(newest, 16) + NEXT):
                    for rank in ranks:
                        things.make(kind, SHM / f"tofu-{job}-{rank}-{number:016x}", Path(victim))
    report = {"jobs": len(jobs), "made": len(things.states), "changed": things.changed()}
    things.remove_all()
    return report


def leave_names(orders: Orders, names: Dict[str, str], victim: str) -> Dict:
    """Make things before the job starts.

    Args:
        orders: the orders.
        names: name -> kind.
        victim: a file of the other user.
    """
    things = Things()
    for name, kind in names.items():
        things.make(kind, SHM / name, Path(victim))
    say_ready()
    orders.over.wait()
    report = {"made": len(things.states), "changed": things.changed()}
    things.remove_all()
    return report


def attempts_on(path: Path) -> Dict[str, Callable[[], object]]:
    """Description -> what this user may not do with a file of another one in a folder for all."""
    return {
        "read": lambda: os.close(os.open(path, os.O_RDONLY)),
        "write": lambda: os.close(os.open(path, os.O_RDWR)),
        "truncate": lambda: os.truncate(path, 0),
        "change the mode": lambda: path.chmod(0o666),
        "change the time": lambda: os.utime(path, (0, 0)),
        "rename": lambda: path.rename(path.with_name("renamed")),
        "remove": path.unlink,
    }


def meddle(orders: Orders) -> Dict:
    """Try everything with all segments that appear."""
    seen = 0
    done: List[str] = []
    names = NewNames()
    say_ready()
    while not orders.over.is_set():
        for name in names.wait(0.05):
            seen += 1
            done += successes(attempts_on(SHM / name))
    return {"seen": seen, "done": done}


def successes(attempts: Dict[str, Callable[[], object]]) -> List[str]:
    """The attempts that succeed."""
    done = []
    for what, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        done.append(what)
    return done


def read_some(path: str) -> None:
    """Read from a file; that of a process that has just ended is empty.

    Raises:
        OSError: there is nothing to read, or it is forbidden.
    """
    with open(path, "rb") as file:
        if not file.read(1):
            raise OSError(path)


def look_into(orders: Orders, pids: List[int]) -> Dict:
    """Try to reach memory, descriptors and mappings of processes, again and again."""
    done: List[str] = []
    rounds = 0
    say_ready()
    while not orders.over.is_set():
        rounds += 1
        for pid in pids:
            done += successes({f"{what} {pid}": lambda what=what, pid=pid: os.listdir(f"/proc/{pid}/{what}")
                               for what in ("fd", "map_files")})
            done += successes({f"read {what} {pid}": lambda what=what, pid=pid: read_some(f"/proc/{pid}/{what}")
                               for what in ("maps", "environ", *(f"fd/{n}" for n in range(64)))})
            done += successes({f"open mem {pid}": lambda pid=pid: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))})
            done += successes({f"signal {pid}": lambda pid=pid: os.kill(pid, 0)})
        time.sleep(0.05)
    return {"rounds": rounds, "done": done}


# ---- connections


def request(data: bytes) -> bytes:
    """First message of a rank in libfabric's provider tcp: a request for a connection, with data of the upper layer."""
    return struct.pack("!BBH", 3, 0, len(data)) + struct.pack("=IQQQ", 0, 0, 0, 1) + data


def layered_greeting(port: int, pid: int) -> bytes:
    """The request with data of the provider tcp;ofi_rxm.

    Args:
        port: port on which the sender says that it listens.
        pid: its process id.
    """
    return request(struct.pack("=BBBBHBBIIQ", 1, 2, 4, 3, port, 2, 0, 16384, 4096, pid << 32))


def plain_greeting(port: int, pid: int) -> bytes:
    """The request with data of the provider tcp alone, in newer releases of libfabric."""
    return request(struct.pack("!BBHI", 1, 0, port, pid))


def write_header(notice: int, places: List[Tuple[int, int, int]]) -> bytes:
    """Header of a write with completion data.

    Args:
        notice: the data.
        places: address, length and key of each place.
    """
    iov = b"".join(struct.pack("=QQQ", *place) for place in places)
    size = 24 + len(iov)
    nbytes = sum(place[1] for place in places)
    return struct.pack("=BBHBBBBQQ", 3, 4, 1, 0, len(places), size, 0, size + nbytes, notice) + iov


def landed_notice(index: int, slot: int) -> int:
    """The completion data with which TOFU says that positions have landed (`OfiNotice`)."""
    return 0x8000 | slot << 8 | index << 16


def connected(port: int) -> socket.socket:
    """A connection to a port of this host, which waits for nothing longer than some seconds."""
    one = socket.socket()
    one.settimeout(2.0)
    one.connect(("127.0.0.1", port))    # no look-up of a name: user nobody may not be able to load modules
    return one


class Visitor:
    """One connection after the other to one port.

    Args:
        port: the port.
        draw: random numbers.
        ports: all ports of the job that are known.
        orders: the orders, for their end.
    """

    def __init__(self, port: int, draw: random.Random, ports: List[int], orders: Orders):
        self.port, self.draw, self.ports, self.orders = port, draw, ports, orders
        self.made = 0
        self.held: List[socket.socket] = []

    def visit(self, manner: Callable[["Visitor", socket.socket], None]) -> None:
        """Connect, behave in one manner, and close; until the port is closed."""
        while not self.orders.over.is_set():
            try:
                one = connected(self.port)
            except OSError:
                return
            self.made += 1
            try:
                manner(self, one)
            except OSError:    # the other side has closed it
                pass
            if one not in self.held:
                one.close()

    def pause(self, most: float) -> None:
        """Wait for a random time, or until the end."""
        self.orders.over.wait(most * self.draw.random() ** 2)

    def greeting(self, port: Optional[int] = None) -> bytes:
        """A correct greeting, for one of the providers.

        Args:
            port: port on which it says that it listens; None: one of no rank.
        """
        form = self.draw.choice((layered_greeting, layered_greeting, plain_greeting))
        return form(self.draw.randrange(1, 1024) if port is None else port, self.draw.randrange(1, 1 << 22))


def noise(visitor: Visitor, one: socket.socket) -> None:
    for _ in range(visitor.draw.randint(1, 4)):
        one.sendall(visitor.draw.randbytes(visitor.draw.choice((1, 7, 24, 25, 300, 5000, 200000))))
        visitor.pause(0.2)


def silence(visitor: Visitor, one: socket.socket) -> None:
    visitor.pause(3.0)


def truncated(visitor: Visitor, one: socket.socket) -> None:
    whole = visitor.greeting()
    one.sendall(whole[: visitor.draw.randrange(1, len(whole))])
    visitor.pause(1.0)


def drop_by_drop(visitor: Visitor, one: socket.socket) -> None:
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in visitor.greeting():
        one.sendall(bytes([byte]))
        visitor.pause(0.01)
    visitor.pause(0.5)


def too_long(visitor: Visitor, one: socket.socket) -> None:
    whole = bytearray(visitor.greeting())
    whole[2:4] = struct.pack("!H", visitor.draw.choice((0, 1, 255, 256, 257, 0x7fff, 0xffff)))
    one.sendall(bytes(whole) + visitor.draw.randbytes(visitor.draw.choice((0, 300, 70000))))
    visitor.pause(0.5)


def mutated(visitor: Visitor, one: socket.socket) -> None:
    whole = bytearray(visitor.greeting())
    for _ in range(visitor.draw.randint(1, 4)):
        whole[visitor.draw.randrange(len(whole))] ^= 1 << visitor.draw.randrange(8)
    one.sendall(bytes(whole))
    visitor.pause(0.5)


def reset(visitor: Visitor, one: socket.socket) -> None:
    one.sendall(visitor.greeting()[: visitor.draw.randint(0, 8)])
    visitor.pause(0.05)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def flood(visitor: Visitor, one: socket.socket) -> None:
    """Hold hundreds of connections."""
    if len(visitor.held) < 300:
        visitor.held.append(one)
    else:
        visitor.pause(0.5)


def stranger(visitor: Visitor, one: socket.socket) -> None:
    """A correct greeting of a rank that does not exist, then noise."""
    one.sendall(visitor.greeting())
    visitor.pause(0.2)
    one.sendall(visitor.draw.randbytes(visitor.draw.choice((1, 16, 24, 1000))))
    visitor.pause(0.5)


def impostor(visitor: Visitor, one: socket.socket) -> None:
    """A correct greeting in the name of another rank of the job."""
    one.sendall(visitor.greeting(visitor.draw.choice(visitor.ports)))
    visitor.pause(0.5)


def writer(visitor: Visitor, one: socket.socket) -> None:
    """A correct greeting, then a write with a key that is guessed."""
    one.sendall(visitor.greeting())
    visitor.pause(0.05)
    place = (visitor.draw.choice((0, 64)), 64, visitor.draw.randrange(1 << 64))
    one.sendall(write_header(landed_notice(visitor.draw.randrange(4), 0), [place]) + bytes(64))
    visitor.pause(0.2)


def send_notices(visitor: Visitor, one: socket.socket, make: Callable[[random.Random], int]) -> None:
    """A correct greeting, then notices of writes that never came: writes of nothing, which need no key."""
    one.sendall(visitor.greeting())
    for _ in range(visitor.draw.choice((1, 3, 30))):
        visitor.pause(0.5)
        one.sendall(write_header(make(visitor.draw), []))
    visitor.pause(1.0)


def false_landing(visitor: Visitor, one: socket.socket) -> None:
    """Notices that positions have landed."""
    send_notices(visitor, one, lambda draw: landed_notice(draw.randrange(3), draw.randrange(4)))


def false_message(visitor: Visitor, one: socket.socket) -> None:
    """Notices of messages in slots."""
    send_notices(visitor, one, lambda draw: draw.randrange(4) | draw.randrange(3) << 16)


def false_credit(visitor: Visitor, one: socket.socket) -> None:
    """Notices that slots may be written again, that the peer is alive, and that it says goodbye."""
    send_notices(visitor, one,
                 lambda draw: draw.randrange(1 << 16) | draw.randrange(3) << 16 | draw.choice((1, 1, 2, 3)) << 30)


MANNERS: Dict[str, Callable[[Visitor, socket.socket], None]] = {
    function.__name__: function
    for function in (noise, silence, truncated, drop_by_drop, too_long, mutated, reset, flood, stranger, impostor,
                     writer, false_landing, false_message, false_credit)}


def connect(orders: Orders, manner: str, seed: int, visitors: int) -> Dict:
    """Connect to each port of an order, several times side by side."""
    ports: List[int] = []
    all_visitors: List[Visitor] = []
    say_ready()
    while not orders.over.is_set():
        try:
            _, number = orders.lines.get(timeout=0.05)
        except queue.Empty:
            continue
        ports.append(int(number))
        for _ in range(visitors):
            visitor = Visitor(ports[-1], random.Random(f"{seed} {len(all_visitors)}"), ports, orders)
            all_visitors.append(visitor)
            threading.Thread(target=visitor.visit, args=(MANNERS[manner],), daemon=True).start()
    return {"ports": len(ports), "made": sum(visitor.made for visitor in all_visitors)}


ACTIONS = {action.__name__: action for action in (take_names, leave_names, meddle, look_into, connect)}


def say_ready() -> None:
    print("ready", flush=True)


def main() -> None:
    become_nobody()
    action, arguments = sys.argv[1:]
    print(json.dumps(ACTIONS[action](Orders(), **json.loads(arguments))), flush=True)
    os._exit(0)    # whatever the threads are doing


if __name__ == "__main__":
    main()
