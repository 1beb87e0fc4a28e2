"""Times GEMMs and writes a table that gemmscope reads: python3 bench.py"""
import csv
import statistics
import time

import numpy as np

SHAPES = [(256, 256, 256), (512, 512, 512), (8, 1024, 1024)]
REPEATS = 5

with open("bench.csv", "w", newline="") as file:
    out = csv.writer(file)
    head = ["M", "N", "K", "dtype", "library", "device"]
    out.writerow([*head, "time_us", "time_std_us"])
    for m, n, k in SHAPES:
        a = np.ones((m, k), np.float32)
        b = np.ones((k, n), np.float32)
        a @ b  # warm up
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            a @ b
            times.append((time.perf_counter() - start) * 1e6)
        row = [m, n, k, "fp32", "numpy", "My machine"]
        out.writerow([*row, statistics.median(times), statistics.stdev(times)])
