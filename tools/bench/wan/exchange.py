#!/usr/bin/env python3
"""Exchanges over TCP, run by calibrateTcp.ts.

Usage: exchange.py serve <host> <port>           replies with as many bytes as each message requests
       exchange.py measure <host> <port> <plan>  prints the shortest time of each case of the plan in milliseconds, as JSON
Python, because Node cannot set the congestion control of a socket, and a network namespace cannot set a restricted one.
"""
import json, socket, struct, sys, threading, time

mode, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
HEAD = struct.Struct('>II')


def open_socket():
    """Before connect or listen: a socket that ever ran BBR, the default of some hosts, keeps its pacing."""
    opened = socket.socket()
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'cubic')
    return opened


def receive(connection, count):
    left = count
    parts = []
    while left > 0:
        part = connection.recv(min(left, 262_144))
        if not part:
            raise ConnectionError('closed')
        parts.append(part)
        left -= len(part)
    return b''.join(parts)


def serve_one(connection):
    try:
        while True:
            up, down = HEAD.unpack(receive(connection, HEAD.size))
            receive(connection, up - HEAD.size)
            connection.sendall(bytes(down))
    except ConnectionError:
        connection.close()


def measure_case(case, rounds):
    up, down, idle = case['up'], case['down'], case['idleSeconds']
    message = HEAD.pack(up, down) + bytes(up - HEAD.size)
    # A new connection for each case. The first exchanges make the window of a busy connection.
    connection = open_socket()
    connection.connect((host, port))
    times = []
    for at in range(-5, rounds):
        if at >= 0:
            time.sleep(idle)
        start = time.monotonic()
        connection.sendall(message)
        receive(connection, down)
        if at >= 0:
            times.append((time.monotonic() - start) * 1000)
    connection.close()
    # Other load on the machine only adds time.
    return min(times)


def measure(plan):
    """Busy cases one after the other, idle ones in turn: each exchanges while the others wait."""
    cases, rounds = plan['cases'], plan['rounds']
    results = [0.0] * len(cases)

    def fill(at):
        results[at] = measure_case(cases[at], rounds)

    waiting = []
    for at, case in enumerate(cases):
        if case['idleSeconds'] == 0:
            fill(at)
            continue
        thread = threading.Thread(target=fill, args=[at])
        thread.start()
        waiting.append(thread)
        time.sleep(case['idleSeconds'] / 12)
    for thread in waiting:
        thread.join()
    return results


if mode == 'serve':
    server = open_socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, port))
    server.listen(8)
    print('ready', flush=True)
    while True:
        accepted = server.accept()[0]
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve_one, args=[accepted], daemon=True).start()
else:
    print(json.dumps(measure(json.loads(sys.argv[4]))))
