#!/usr/bin/env python3
"""Keeps an app's rows with the right person: follows user.merged and user.unmerged.

    follow_merges.py SOCKET DATABASE [--once]

SOCKET is the daemon's app.sock, DATABASE an SQLite file. With --once it ends when nothing is left to apply, or when
there is no daemon; without, it goes on for ever, and connects anew when the daemon was restarted. It may be killed at
any time and started again: an event is acknowledged only after what it meant was committed, and one that comes again
is known by its id. Standard library only.
"""

import json
import pathlib
import socket
import sqlite3
import sys
import time

CONSUMER = "orders"
WAIT_MS = 30_000
# How long to wait before connecting anew: at first, and at most.
PAUSE_S, PAUSE_MAX_S = 0.1, 5.0


class Refused(Exception):
    """The daemon's answer is no; reason is what programs match on."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.reason = error["data"]["reason"]
        self.is_retryable = error["data"]["retryable"]
        self.data = error["data"]


class Kith:
    """One connection: a call is a line, and so is its answer."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw", encoding="utf-8", newline="\n")
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def call(self, method, **params):
        self.last_id += 1
        call = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.lines.write(json.dumps(call) + "\n")
        self.lines.flush()
        line = self.lines.readline()
        if not line.endswith("\n"):
            raise ConnectionError("the daemon ended the connection")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]


def merge(db, merge_id, absorbed, survivor):
    """The absorbed user's rows are the survivor's from now on."""
    db.execute(
        "insert or ignore into moved_orders select ?, id from orders where user_id = ?", (merge_id, absorbed))
    db.execute("update orders set user_id = ? where user_id = ?", (survivor, absorbed))


def unmerge(db, merge_id, absorbed, survivor):
    """What the merge moved goes back; what came later stays with the survivor."""
    db.execute(
        "update orders set user_id = ? where user_id = ?"
        " and id in (select order_id from moved_orders where merge_id = ?)", (absorbed, survivor, merge_id))
    db.execute("delete from moved_orders where merge_id = ?", (merge_id,))


def apply(db, event):
    """Applies one event, once, and says whether it did. Types that mean nothing to the app are passed over."""
    steps = {"user.merged": merge, "user.unmerged": unmerge}
    if event["type"] not in steps:
        return False
    if db.execute("insert or ignore into applied_events values (?)", (event["id"],)).rowcount == 0:
        return False
    data = event["data"]
    steps[event["type"]](db, data["merge_id"], data["from"], data["into"])
    return True


def follow(kith, db, once):
    """Reads, applies, commits, and only then acknowledges."""
    while True:
        page = kith.call("event.read", consumer=CONSUMER, wait_ms=0 if once else WAIT_MS)
        with db:
            applied = [event for event in page["events"] if apply(db, event)]
        for event in applied:
            print(event["type"], event["data"]["from"], event["data"]["into"], flush=True)
        if page["events"]:
            kith.call("event.ack", consumer=CONSUMER, cursor=page["cursor"])
        elif once:
            return


def follow_for_ever(path, db):
    """Connects anew, and goes on where it was: Kith keeps the place under the consumer's name."""
    pause = PAUSE_S
    while True:
        started = time.monotonic()
        try:
            with Kith(path) as kith:
                follow(kith, db, once=False)
        except OSError as error:
            reason = error
        except Refused as refusal:
            if not refusal.is_retryable:
                raise
            reason = refusal
        # After a connection that held for a while the daemon is most likely back at once.
        pause = PAUSE_S if time.monotonic() - started > PAUSE_MAX_S else min(2 * pause, PAUSE_MAX_S)
        print(f"{reason}; connecting anew", file=sys.stderr, flush=True)
        time.sleep(pause)


def main():
    path, database = sys.argv[1:3]
    db = sqlite3.connect(database)
    db.executescript(pathlib.Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    try:
        if "--once" in sys.argv[3:]:
            with Kith(path) as kith:
                follow(kith, db, once=True)
        else:
            follow_for_ever(path, db)
    except KeyboardInterrupt:
        pass
    except Refused as refusal:
        if refusal.reason == "not_found" and "cursor" in refusal.data:
            # It did not run for so long that events are gone: compare every user_id with user.get first, then go on.
            sys.exit(f"events are gone; after comparing, acknowledge {refusal.data['cursor']}")
        raise


if __name__ == "__main__":
    main()
