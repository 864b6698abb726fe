#!/usr/bin/env python3
"""Runs a command several times; prints the median time in seconds with microseconds, and the peak memory in KiB.

    median.py RUNS COMMAND...

The output of the command is discarded. A warm-up run loads its files into the page cache.
"""
import os
import sys
import time

runs, command = int(sys.argv[1]), sys.argv[2:]
nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
seconds, memory = [], 0
for _ in range(runs + 1):
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=nowhere)
    status, usage = os.wait4(child, 0)[1:]
    seconds.append(time.perf_counter() - start)
    memory = max(memory, usage.ru_maxrss)
    if status != 0:
        sys.exit("failed: " + " ".join(command))
print("%.6f %d" % (sorted(seconds[1:])[runs // 2], memory))
