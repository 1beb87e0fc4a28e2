#!/usr/bin/env python3
"""Measures the ceilings of this machine's CPU and writes them as a device file for gemmscope, cpu-device.json.

    python3 -m venv venv && venv/bin/pip install numpy
    venv/bin/python samples/measure_cpu.py [--threads 1] [--out FOLDER]

The best large GEMM of each type, and the rate at which memory is read and written. Needs a C++ compiler. fp32 and fp64
run through the OpenBLAS that numpy brings; fp32, bf16 and int8 through oneDNN where its headers are installed (Debian:
libdnnl-dev).

Configurations are visited in rounds of changing order, SAMPLES timed loops a visit, until each has KEPT samples during
which this process lost the processor to others once at most (the kernel's count of involuntary context switches), or
for VISITS rounds at most; the KEPT least disturbed samples count. Samples are chosen by what disturbed them, never by their time.
"""

import argparse
import ctypes
import glob
import json
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
VISITS, SAMPLES, KEPT = 3, 3, 5
BUDGET_S = 120  # no further round of a part after this long
LOOP_S = 0.01  # a timed loop runs at least this long (or one call)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder for the file")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    # The libraries read this once, when they are loaded.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options.threads, pathlib.Path(folder))
        options.out.mkdir(parents=True, exist_ok=True)
        device(machine, options.out)


class Machine:
    """The compiled loops, the libraries they call, and the buffers they work on."""

    def __init__(self, threads, folder):
        self.threads = threads
        self.one_core = threads == 1
        self.name = cpu_name() + (", 1 core" if self.one_core else "")
        self.cache_bytes = last_level_cache()
        self.loops = compile_loops(folder)
        self.onednn = None
        if hasattr(self.loops, "onednn_open"):
            self.loops.onednn_version.restype = ctypes.c_char_p
            self.onednn = "oneDNN " + self.loops.onednn_version().decode()
        self.blas, self.gemm32, self.gemm64, self.set_threads = openblas()
        self.buffers = {}

    def buffer(self, name, kind, count):
        """At least `count` numbers, touched; the same memory again for the same name."""
        import numpy

        held = self.buffers.get(name)
        if held is None or held.dtype != kind or len(held) < count:
            self.buffers.pop(name, None)
            held = None
            pattern = numpy.random.default_rng(1).standard_normal(1 << 16).astype(kind)
            held = numpy.resize(pattern, count)
            self.buffers[name] = held
        return ctypes.c_void_p(held.ctypes.data)


def compile_loops(folder):
    source, library = HERE / "measure_cpu.cpp", folder / "measure_cpu.so"
    command = ["c++", "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-pthread", str(source), "-o", str(library)]
    for extra in (["-ldnnl"], []):
        done = subprocess.run(command + extra, capture_output=True, text=True)
        if done.returncode == 0:
            break
    else:
        sys.exit(f"measure_cpu.cpp does not compile here:\n{done.stderr}")
    loops = ctypes.CDLL(str(library))
    i64, pointer, number = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int
    signatures = {
        "time_layer_32": [pointer, i64, i64, i64, pointer, pointer, pointer, number, number],
        "time_layer_64": [pointer, i64, i64, i64, pointer, pointer, pointer, number, number],
        "time_triad": [pointer, pointer, pointer, i64, number, number],
        "time_read": [pointer, i64, number, number],
        "onednn_open": [number, i64, i64, i64, number],
        "onednn_time": [pointer, number],
        "onednn_close": [pointer],
    }
    for name, arguments in signatures.items():
        if hasattr(loops, name):
            getattr(loops, name).argtypes = arguments
            getattr(loops, name).restype = ctypes.c_double
    if hasattr(loops, "onednn_open"):
        loops.onednn_open.restype = pointer
        loops.onednn_close.restype = None
    return loops


def openblas():
    """numpy's own OpenBLAS: its name, two GEMM entry points, and the setter of its thread count."""
    try:
        import numpy
    except ImportError:
        sys.exit("measure_cpu.py needs numpy: python3 -m venv venv && venv/bin/pip install numpy")
    folder = pathlib.Path(numpy.__file__).parent.parent
    for path in glob.glob(str(folder / "numpy.libs" / "*openblas*")):
        library = ctypes.CDLL(path)
        if not hasattr(library, "scipy_cblas_sgemm64_"):
            continue
        config = library.scipy_openblas_get_config64_
        config.restype = ctypes.c_char_p
        version = re.search(r"OpenBLAS (\d+\.\d+(\.\d+)?)", config().decode())
        address = lambda name: ctypes.cast(getattr(library, name), ctypes.c_void_p)
        return (
            version.group(0) if version else "OpenBLAS",
            address("scipy_cblas_sgemm64_"),
            address("scipy_cblas_dgemm64_"),
            library.scipy_openblas_set_num_threads64_,
        )
    sys.exit("this numpy brings no OpenBLAS with 64-bit integers; install numpy from PyPI")


def cpu_name():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return re.search(r"^model name\s*:\s*(.+)$", text, re.M).group(1).strip()
    except (OSError, AttributeError):
        import platform

        return platform.processor() or platform.machine()


def cache_sizes():
    """Bytes by level of the caches that hold data, as one core sees them."""
    sizes = {}
    for index in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*"):
        read = lambda name: (pathlib.Path(index) / name).read_text().strip()
        try:
            if read("type") != "Instruction":
                sizes[int(read("level"))] = int(read("size").rstrip("K")) * 1024
        except (OSError, ValueError):
            pass
    return sizes


def last_level_cache():
    return max(cache_sizes().values(), default=32 << 20)


class Timing:
    """The samples of one configuration."""

    def __init__(self):
        self.samples = []  # (involuntary context switches, seconds)

    def visit(self, call):
        seconds = max(call(1), 1e-7)
        calls = max(1, min(100_000, round(LOOP_S / seconds)))
        for _ in range(SAMPLES):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
            seconds = call(calls)
            lost = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - before
            self.samples.append((lost, seconds))

    @property
    def settled(self):
        return sum(lost <= 1 for lost, _ in self.samples) >= KEPT

    @property
    def kept(self):
        ranked = sorted(enumerate(self.samples), key=lambda s: (s[1][0], s[0]))
        return [seconds for _, (_, seconds) in ranked[:KEPT]]

    @property
    def seconds(self):
        return statistics.median(self.kept)


def survey(work):
    """Measures [(what, visit)] in rounds and returns [(what, seconds)]."""
    timings = [Timing() for _ in work]
    started = time.monotonic()
    shuffle = random.Random(1)
    for visit in range(VISITS):
        order = [at for at, timing in enumerate(timings) if not timing.settled]
        if visit and time.monotonic() > started + BUDGET_S:
            break
        shuffle.shuffle(order)
        for done, at in enumerate(order):
            work[at][1](timings[at])
            if sys.stderr.isatty():
                print(f"\r  visit {visit + 1} of {VISITS}: {done + 1} of {len(order)} ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"  {sum(timing.settled for timing in timings)} of {len(work)} configurations measured undisturbed", flush=True)
    return [(what, timing.seconds) for (what, _), timing in zip(work, timings) if timing.samples]


def weight_copies(machine, weight_bytes):
    return max(1, -(-2 * machine.cache_bytes // weight_bytes))


def blas_visit(machine, dtype, m, n, k):
    kind, size, gemm, loop = {
        "fp32": ("float32", 4, machine.gemm32, machine.loops.time_layer_32),
        "fp64": ("float64", 8, machine.gemm64, machine.loops.time_layer_64),
    }[dtype]
    copies = weight_copies(machine, n * k * size)

    def visit(timing):
        machine.set_threads(machine.threads)
        x, w, y = (machine.buffer(name, kind, count) for name, count in (("x", m * k), ("w", n * k * copies), ("y", m * n)))
        timing.visit(lambda calls: loop(gemm, m, n, k, x, w, y, copies, calls))

    return visit


def onednn_visit(machine, dtype, m, n, k):
    code, size = {"fp32": (0, 4), "bf16": (1, 2), "int8": (2, 1)}[dtype]

    def visit(timing):
        layer = machine.loops.onednn_open(code, m, n, k, weight_copies(machine, n * k * size))
        if layer:
            timing.visit(lambda calls: machine.loops.onednn_time(layer, calls))
            machine.loops.onednn_close(layer)

    return visit


def device(machine, out):
    """This machine's own ceilings: the best large GEMM of every type and library, and the bandwidth of its memory."""
    shapes = [(1024, 1024, 1024), (2048, 2048, 2048), (1024, 4096, 4096)]
    best = {}
    work = []
    for m, n, k in shapes:
        for dtype in ("fp64", "fp32"):
            work.append(((machine.blas, dtype, m, n, k), blas_visit(machine, dtype, m, n, k)))
        for dtype in ("fp32", "bf16", "int8") if machine.onednn else ():
            work.append(((machine.onednn, dtype, m, n, k), onednn_visit(machine, dtype, m, n, k)))
    for (library, dtype, m, n, k), seconds in survey(work):
        rate = 2.0 * m * n * k / seconds
        print(f"  {dtype} {m} x {n} x {k} {library}: {rate / 1e9:.1f} GFLOP/s")
        if rate > best.get(dtype, (0.0,))[0]:
            best[dtype] = (rate, f"{library}, {m} x {n} x {k}")
    machine.buffers.clear()
    count = max(1 << 23, -(-4 * machine.cache_bytes // 8 // 65536) * 65536)
    a, b, c = (machine.buffer(name, "float64", count) for name in "abc")
    # Threads beyond what the memory can serve gain nothing; fewer never gain more here.
    loops, bandwidth = machine.loops, {}
    for name, streams, call in (
        ("triad", 3, lambda calls: loops.time_triad(a, b, c, count, machine.threads, calls)),
        ("read", 1, lambda calls: loops.time_read(a, count, machine.threads, calls)),
    ):
        timing = Timing()
        for _ in range(2 * VISITS):
            if not timing.settled:
                timing.visit(call)
        bandwidth[name] = streams * 8 * count / timing.seconds
        print(f"  {name}: {bandwidth[name] / 1e9:.1f} GB/s")
    caches = cache_sizes()
    source = "measured by samples/measure_cpu.py"
    rounded = lambda value: float(f"{value:.4g}")
    write_device(
        out / "cpu-device.json",
        {
            "id": "my-cpu-core" if machine.one_core else "my-cpu",
            "name": machine.name,
            "vendor": machine.name.split()[0],
            "arch": f"x86-64, {machine.threads} core{'' if machine.one_core else 's'}" if os.uname().machine == "x86_64" else os.uname().machine,
            "arch_token": os.uname().machine,
            "peaks": [
                {"dtype": dtype, "flops_per_s": rounded(rate), "achievable_flops_per_s": rounded(rate), "source": f"{source}: {by}"}
                for dtype, (rate, by) in sorted(best.items())
            ],
            "bandwidth_bytes_per_s": rounded(max(bandwidth.values())),
            "units": machine.threads,
            "unit_kind": "core",
            "clock_hz": None,
            "memory_bytes": None,
            "l2_bytes": float(caches[2] * machine.threads) if 2 in caches else None,
            "llc_bytes": float(caches[3]) if 3 in caches else None,
            "shared_bytes_per_unit": None,
            "registers_bytes_per_unit": None,
            "confidence": "C",
            "notes": (
                f"Measured, not a datasheet: the best large GEMM of each type and the higher of two memory rates "
                f"(triad {bandwidth['triad'] / 1e9:.1f} GB/s counting three streams, read {bandwidth['read'] / 1e9:.1f} GB/s), "
                f"threads: {machine.threads}, on a shared machine."
            ),
            "source": source,
        },
    )


def write_device(path, data):
    path.write_text(json.dumps(data, indent=2) + "\n")
    print(f"  {path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
