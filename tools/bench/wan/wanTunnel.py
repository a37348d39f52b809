#!/usr/bin/env python3
"""A real network of a given delay between this machine and a network namespace, for measuring what TCP makes of bytes.

Usage (root, iproute2):  ip netns add wan; ./wanTunnel.py 10 wan &     # 10 ms each way, 20 ms round trip
  here 10.77.0.1, in the namespace 10.77.0.2 (`ip netns exec wan node server.mjs`, listening on 10.77.0.2)
  default TCP of most servers: sysctl -w net.ipv4.tcp_congestion_control=cubic, here and in the namespace
Two TUN devices; packets wait in a queue. Nothing is lost or reordered, and bandwidth is not limited.
"""
import collections, ctypes, fcntl, os, select, struct, sys, time

delay, namespace = float(sys.argv[1]) / 1000, sys.argv[2]
libc = ctypes.CDLL('libc.so.6', use_errno=True)


def tun(name, address):
    fd = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, 0x400454CA, struct.pack('16sH', name.encode(), 0x1001))  # TUNSETIFF, IFF_TUN | IFF_NO_PI
    os.system(f'ip addr add {address}/24 dev {name}; ip link set {name} up mtu 1500')
    return fd


here = tun('wan0', '10.77.0.1')
if libc.setns(os.open(f'/var/run/netns/{namespace}', os.O_RDONLY), 0) != 0:
    sys.exit(f'cannot enter the namespace {namespace}: ip netns add {namespace}')
there = tun('wan1', '10.77.0.2')
os.system('ip link set lo up')
print('10.77.0.1 <-> 10.77.0.2', flush=True)
waiting = collections.deque()
while True:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, fd, packet = waiting.popleft()
        try:
            os.write(fd, packet)
        except BlockingIOError:
            pass  # the device's queue is full: lost, as on a network
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else 1
    for fd in select.select([here, there], [], [], pause)[0]:
        try:
            while True:
                packet = os.read(fd, 2048)
                waiting.append((time.monotonic() + delay, there if fd == here else here, packet))
        except BlockingIOError:
            pass
