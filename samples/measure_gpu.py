#!/usr/bin/env python3
"""Measures GEMMs on an NVIDIA or AMD GPU with PyTorch and Triton and writes a CSV for gemmscope.

    python3 samples/measure_gpu.py --dry-run            # what would be measured; needs no GPU
    python3 samples/measure_gpu.py                      # llm, flat and tiles into gpu-*.csv
    python3 samples/measure_gpu.py llm --models llama-3.1-8b --tokens 1 16 512 --dtypes bf16 fp8

Needs PyTorch with a GPU; Triton (it comes with PyTorch) for its kernels, fp8 from compute capability 8.9 on.

llm    the linear layers of a model for 1 to 8192 tokens, and its attention products, by PyTorch's library and Triton
flat   M = 8 against N and the tile width B_N, K = 4096 and 12288 (Triton): the flat GEMM of a decode step
tiles  tile height, width and depth, split-K, warps, stages and launch order on a few shapes (Triton)
device the GPU itself as a file for gemmscope, gpu-device.json: the best large GEMM of each type, the rate of a copy and the
       time of a product of one tile; only where it is named

A time is the median of --repeats runs of about a millisecond of calls in one graph, so that launching from Python does
not count, with a pause before each, so that the clock does not fall. Weights rotate through up to 512 MB, so that a call
finds them in memory, as a layer of a model does. Warm-up runs first. A Triton kernel is checked against PyTorch before it
is timed; one that fails keeps its row, with the reason in the column `status` and no time.
"""

import argparse
import csv
import dataclasses
import json
import pathlib
import statistics
import sys
import time

DTYPES = ["fp32", "tf32", "fp16", "bf16", "fp8"]
PARTS = ["llm", "flat", "tiles"]
# gemmscope's names of the types, where they are others.
IDS = {"fp8": "fp8_e4m3"}
# Weights take turns until they are this many bytes, or this many; calls of a graph, and its length.
ROTATED_BYTES, MOST_COPIES = 512 << 20, 64
MOST_CALLS, GRAPH_S = 200, 1e-3
# Before each run, so that the power of the runs before it does not lower its clock.
PAUSE_S = 5e-3
DEVICE_SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (16384, 8192, 8192)]
# hidden, width of q + k + v, intermediate, query heads, head width
MODELS = {
    "qwen2.5-0.5b": (896, 1152, 4864, 14, 64),
    "qwen2.5-7b": (3584, 4608, 18944, 28, 128),
    "llama-3.1-8b": (4096, 6144, 14336, 32, 128),
    "llama-3.1-70b": (8192, 10240, 28672, 64, 128),
}
DECODE = [1, 2, 4, 8, 16, 32, 64]
PREFILL = [128, 512, 2048, 8192]
TILE_SHAPES = [(4096, 4096, 4096), (256, 512, 16384), (2048, 10240, 8192), (16, 4096, 4096)]


@dataclasses.dataclass
class Config:
    """How a Triton kernel is launched."""

    tile_m: int
    tile_n: int
    tile_k: int
    split_k: int = 1
    group_m: int = 8
    num_warps: int = 4
    num_stages: int = 3

    def name(self):
        return f"triton_{self.tile_m}x{self.tile_n}x{self.tile_k}_sk{self.split_k}"


@dataclasses.dataclass
class Job:
    """One row to be: a GEMM, who computes it, and how."""

    part: str
    library: str
    dtype: str
    m: int
    n: int
    k: int
    batch: int = 1
    model: str = ""
    layer: str = ""
    phase: str = ""
    config: Config | None = None


COLUMNS = [
    *["model", "layer", "phase", "kernel", "M", "N", "K", "batch", "dtype", "transA", "transB"],
    *["tile_m", "tile_n", "tile_k", "split_k", "group_size_m", "num_warps", "num_stages"],
    *["library", "device", "status", "time_us", "time_us_std", "time_us_min", "repeats"],
]


def plan(parts, models, tokens, dtypes):
    """All jobs, in the order of the rows."""
    jobs = []
    if "device" in parts:
        jobs += [Job("device", "PyTorch", dtype, *shape) for dtype in dtypes for shape in DEVICE_SHAPES]
    if "llm" in parts:
        for model in models:
            jobs += llm_jobs(model, tokens, dtypes)
    for dtype in dtypes:
        if "flat" in parts and dtype == "fp16":
            jobs += flat_jobs(dtype)
        if "tiles" in parts and dtype in ("fp16", "bf16"):
            jobs += tile_jobs(dtype)
    return jobs


def llm_jobs(model, tokens, dtypes):
    hidden, qkv, wide, heads, head = MODELS[model]
    linear = {"qkv_proj": (qkv, hidden), "o_proj": (hidden, hidden), "gate_up_proj": (2 * wide, hidden), "down_proj": (hidden, wide)}
    for dtype in dtypes:
        for m in tokens:
            about = {"model": model, "phase": "decode" if m <= max(DECODE) else "prefill", "part": "llm", "dtype": dtype, "m": m}
            for layer, (n, k) in linear.items():
                yield Job(library="PyTorch", n=n, k=k, layer=layer, **about)
                yield Job(library="Triton", n=n, k=k, layer=layer, config=usual_config(m, n, k), **about)
            if about["phase"] == "prefill" and dtype != "fp8":
                yield Job(library="PyTorch", n=m, k=head, batch=heads, layer="attn_qk", **about)
                yield Job(library="PyTorch", n=head, k=m, batch=heads, layer="attn_pv", **about)


def usual_config(m, n, k):
    """A plain choice of tile for a shape, so that the library has something to be compared with."""
    if m <= 16:
        return Config(16, 64, 128, split_k=4 if n * 1 < 8192 and k >= 4096 else 1, num_stages=4)
    if m <= 64:
        return Config(64, 64, 64, split_k=2 if n < 8192 else 1, num_stages=4)
    if m * n <= 1024 * 4096:
        return Config(64, 128, 64, num_stages=4)
    return Config(128, 256, 64, num_warps=8)


def flat_jobs(dtype):
    for k in (4096, 12288):
        for n in [1 << p for p in range(10, 19)]:
            for tile_n in (32, 64, 128, 256, 512):
                # 16 rows is the least a tensor-core product takes; the 8 real rows are masked.
                config = Config(16, tile_n, 64 if tile_n < 512 else 32, group_m=1, num_stages=4 if tile_n < 256 else 3)
                yield Job("flat", "Triton", dtype, 8, n, k, config=config)


def tile_jobs(dtype):
    for m, n, k in TILE_SHAPES:
        for tile_m in (16, 64, 128, 256):
            for tile_n in (64, 128, 256):
                for tile_k in (32, 64):
                    for split_k in (1, 4):
                        if tile_m > max(16, m) or (split_k > 1 and k // split_k < 4 * tile_k):
                            continue
                        warps = 8 if tile_m * tile_n >= 128 * 128 else 4
                        yield Job("tiles", "Triton", dtype, m, n, k, config=Config(tile_m, tile_n, tile_k, split_k, num_warps=warps))
    for group_m in (1, 2, 4, 8, 16):
        for warps in (4, 8, 16):
            for stages in (2, 3, 4):
                config = Config(128, 128, 64, group_m=group_m, num_warps=warps, num_stages=stages)
                yield Job("tiles", "Triton", dtype, 4096, 4096, 4096, config=config)


def row(job, device, status="", times=()):
    """The cells of a job: `times` in seconds, empty where it failed."""
    config = job.config
    micro = lambda seconds: f"{seconds * 1e6:.3f}"
    return {
        "model": job.model,
        "layer": job.layer,
        "phase": job.phase,
        "kernel": config.name() if config else "",
        "M": job.m,
        "N": job.n,
        "K": job.k,
        "batch": job.batch,
        "dtype": job.dtype,
        "transA": "N",
        "transB": "N" if job.layer == "attn_pv" else "T",
        "tile_m": config.tile_m if config else "",
        "tile_n": config.tile_n if config else "",
        "tile_k": config.tile_k if config else "",
        "split_k": config.split_k if config else "",
        "group_size_m": config.group_m if config else "",
        "num_warps": config.num_warps if config else "",
        "num_stages": config.num_stages if config else "",
        "library": job.library,
        "device": device,
        "status": status,
        "time_us": micro(statistics.median(times)) if times else "",
        "time_us_std": micro(statistics.stdev(times)) if len(times) > 1 else "",
        "time_us_min": micro(min(times)) if times else "",
        "repeats": len(times) or "",
    }


def measure_all(jobs, device, measure, file, progress=lambda done, job: None):
    """Writes a row a job as it is measured; `measure(job)` gives (status, times in seconds)."""
    table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    table.writeheader()
    for done, job in enumerate(jobs):
        progress(done, job)
        table.writerow(row(job, device, *measure(job)))
        file.flush()


class Gpu:
    """PyTorch's and Triton's GEMMs on one GPU, and the clock around them."""

    def __init__(self, index, repeats):
        try:
            import torch
        except ImportError:
            sys.exit("measure_gpu.py needs PyTorch with GPU support. To see the work without a GPU: --dry-run")
        if not torch.cuda.is_available():
            sys.exit(
                "PyTorch is here but sees no GPU (torch.cuda.is_available() is False): is the driver loaded, and is this "
                "a CUDA or ROCm build of PyTorch? To see the work without a GPU: --dry-run"
            )
        if index >= torch.cuda.device_count():
            sys.exit(f"there is no GPU {index}: PyTorch sees {torch.cuda.device_count()}")
        torch.cuda.set_device(index)
        self.torch, self.repeats = torch, repeats
        self.name = torch.cuda.get_device_name(index)
        about = torch.cuda.get_device_properties(index)
        self.capability = (about.major, about.minor)
        self.units = about.multi_processor_count
        self.kernel = None
        try:
            self.kernel = triton_kernel()
        except ImportError:
            print("Triton is not installed: its rows get the status `no triton`", file=sys.stderr)
        self.operands = (None, None)

    def measure(self, job):
        """(status, times in seconds). What fails is said in the status and never ends the run."""
        torch = self.torch
        try:
            calls, out = self.prepare(job)
            calls[0]()
            torch.cuda.synchronize()
            if job.config and not self.agrees(job, out):
                return "wrong result", ()
            return "ok", self.time(calls)
        except NotPossible as reason:
            return str(reason), ()
        except torch.cuda.OutOfMemoryError:
            self.operands = (None, None)
            torch.cuda.empty_cache()
            return "out of memory", ()
        except Exception as error:  # a compiler or launch failure is a result too
            return f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}".strip(), ()

    def prepare(self, job):
        """Calls that compute the job, each with weights of its own, and where their result lies."""
        torch = self.torch
        if job.dtype == "fp8" and not hasattr(torch, "float8_e4m3fn"):
            raise NotPossible("no fp8 in this PyTorch")
        if job.dtype == "fp8" and torch.version.cuda and self.capability < (8, 9):
            raise NotPossible("no fp8 on this GPU")
        torch.backends.cuda.matmul.allow_tf32 = job.dtype == "tf32"
        a, weights = self.tensors(job)
        if job.config:
            return self.triton_calls(job, a, weights)
        if job.dtype == "fp8":
            one = torch.ones((), device="cuda")
            scaled = lambda b: lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
            return [scaled(b) for b in weights], None
        out = torch.empty((*([job.batch] if job.batch > 1 else []), job.m, job.n), dtype=a.dtype, device="cuda")
        product = torch.bmm if job.batch > 1 else torch.mm
        call = lambda b: lambda: product(a, b, out=out)
        return [call(b) for b in weights], out

    def tensors(self, job):
        """A and copies of B; the last ones again where only the kernel differs."""
        torch = self.torch
        key = (job.m, job.n, job.k, job.batch, job.dtype, job.layer == "attn_pv")
        if self.operands[0] != key:
            self.operands = (None, None)
            kind = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}.get(job.dtype)
            lead = [job.batch] if job.batch > 1 else []
            # Small values keep 16-bit sums exact enough to compare.
            fresh = lambda *size: torch.randn(*lead, *size, device="cuda", dtype=kind or torch.bfloat16) / 8
            a = fresh(job.m, job.k)
            b = fresh(job.k, job.n) if job.layer == "attn_pv" else fresh(job.n, job.k).transpose(-2, -1)
            if job.dtype == "fp8":
                a, b = a.to(torch.float8_e4m3fn), b.t().to(torch.float8_e4m3fn).t()
            copies = min(MOST_COPIES, -(-ROTATED_BYTES // (b.numel() * b.element_size())))
            self.operands = (key, (a, [b, *(b.clone() for _ in range(copies - 1))]))
        return self.operands[1]

    def triton_calls(self, job, a, weights):
        torch, config = self.torch, job.config
        if self.kernel is None:
            raise NotPossible("no triton")
        split = config.split_k > 1
        kind = torch.float32 if split or job.dtype in ("fp32", "tf32") else torch.bfloat16 if job.dtype == "fp8" else a.dtype
        out = torch.empty(job.m, job.n, dtype=kind, device="cuda")
        blocks = -(-job.m // config.tile_m) * -(-job.n // config.tile_n)

        def call(b):
            if split:
                out.zero_()
            self.kernel[(blocks, config.split_k)](
                *(a, b, out, job.m, job.n, job.k),
                *(a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0)),
                TILE_M=config.tile_m,
                TILE_N=config.tile_n,
                TILE_K=config.tile_k,
                SPLIT_K=config.split_k,
                GROUP_M=config.group_m,
                PRECISION="ieee" if job.dtype == "fp32" else "tf32",
                num_warps=config.num_warps,
                num_stages=config.num_stages,
            )

        return [lambda b=b: call(b) for b in weights], out

    def agrees(self, job, out):
        torch = self.torch
        a, weights = self.tensors(job)
        expected = a.float() @ weights[0].float()
        # Of a random walk of k steps of about 1/64; 16-bit results round at the end.
        allowed = 0.02 * (job.k**0.5) / 64 + 0.02 * expected.abs()
        return bool(((out.float() - expected).abs() <= allowed).all())

    def time(self, calls):
        """Seconds of a call, --repeats times: `calls` in turn, in one graph of about a millisecond."""
        torch = self.torch

        def clocked(run):
            time.sleep(PAUSE_S)
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            return start.elapsed_time(end) / 1e3

        for _ in range(3):
            once = clocked(calls[0])
        count = max(len(calls), min(MOST_CALLS, round(GRAPH_S / once)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for at in range(count):
                calls[at % len(calls)]()
        graph.replay()
        return [clocked(graph.replay) / count for _ in range(self.repeats)]

    def bandwidth(self):
        """Bytes that a copy reads and writes in a second."""
        source = self.torch.empty(1 << 30, dtype=self.torch.int8, device="cuda")
        target = self.torch.empty_like(source)
        return 2 * source.numel() / statistics.median(self.time([lambda: target.copy_(source)]))

    def launch_floor(self):
        """Seconds that a product of one tile takes, which computes next to nothing: what starting, filling
        and draining a kernel takes.
        """
        torch = self.torch
        a, b = (torch.randn(*size, device="cuda", dtype=torch.bfloat16) for size in ((16, 64), (64, 16)))
        out = torch.empty(16, 16, device="cuda", dtype=torch.bfloat16)
        return statistics.median(self.time([lambda: torch.mm(a, b, out=out)] * MOST_CALLS))


def describe(gpu, jobs):
    """The GPU as gemmscope reads a device: rates that were measured, none that was not."""
    best = {}
    for job in jobs:
        status, times = gpu.measure(job)
        shape = f"{job.m} x {job.n} x {job.k}"
        if not times:
            print(f"  {job.dtype} {shape}: {status}")
            continue
        rate = 2.0 * job.m * job.n * job.k / statistics.median(times)
        print(f"  {job.dtype} {shape}: {rate / 1e12:.1f} TFLOP/s")
        best[job.dtype] = max(best.get(job.dtype, (0.0, "")), (rate, shape))
    if not best:
        sys.exit("nothing could be measured")
    source = "measured by samples/measure_gpu.py"
    rounded = lambda value: float(f"{value:.4g}")
    return {
        # The name that the driver prints: rows that carry it are held against this file.
        "name": gpu.name,
        "peaks": [
            {"dtype": IDS.get(dtype, dtype), "flops_per_s": rounded(rate), "achievable_flops_per_s": rounded(rate), "source": f"{source}: {shape}"}
            for dtype, (rate, shape) in best.items()
        ],
        "bandwidth_bytes_per_s": rounded(gpu.bandwidth()),
        "launch_floor_s": rounded(gpu.launch_floor()),
        "units": gpu.units,
        "unit_kind": "SM" if "NVIDIA" in gpu.name else "CU",
        "confidence": "C",
        "notes": "Measured, not a datasheet: the best large GEMM of each type, a copy of 1 GiB, and a product of one tile in a graph.",
        "source": source,
    }


class NotPossible(Exception):
    """This GPU or this installation cannot run the job."""


def triton_kernel():
    """C = A B in tiles; programs of a column group run close together, and K may be split over the second grid axis."""
    global triton, tl  # the compiler looks names up in the module
    import triton
    import triton.language as tl

    @triton.jit
    def tiled(
        a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
        TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
        SPLIT_K: tl.constexpr, GROUP_M: tl.constexpr, PRECISION: tl.constexpr,
    ):  # fmt: skip
        program = tl.program_id(0)
        part = tl.program_id(1)
        down = tl.cdiv(M, TILE_M)
        across = tl.cdiv(N, TILE_N)
        per_group = GROUP_M * across
        first = program // per_group * GROUP_M
        height = min(down - first, GROUP_M)
        at_m = first + program % per_group % height
        at_n = program % per_group // height
        rows = at_m * TILE_M + tl.arange(0, TILE_M)
        columns = at_n * TILE_N + tl.arange(0, TILE_N)
        depth = part * TILE_K + tl.arange(0, TILE_K)
        left = a + rows[:, None].to(tl.int64) * a_row + depth[None, :] * a_column
        right = b + depth[:, None] * b_row + columns[None, :].to(tl.int64) * b_column
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for step in range(part, tl.cdiv(K, TILE_K), SPLIT_K):
            inside = step * TILE_K + tl.arange(0, TILE_K) < K
            x = tl.load(left, mask=(rows[:, None] < M) & inside[None, :], other=0.0)
            y = tl.load(right, mask=inside[:, None] & (columns[None, :] < N), other=0.0)
            total = tl.dot(x, y, total, input_precision=PRECISION)
            left += SPLIT_K * TILE_K * a_column
            right += SPLIT_K * TILE_K * b_row
        result = c + rows[:, None].to(tl.int64) * c_row + columns[None, :]
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        if SPLIT_K == 1:
            tl.store(result, total.to(c.dtype.element_ty), mask=inside)
        else:
            tl.atomic_add(result, total, mask=inside)

    return tiled


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="See the top of this file for what the parts are.")
    parser.add_argument("parts", nargs="*", default=[], metavar="part", help="llm, flat, tiles (default: these), device")
    parser.add_argument("--models", nargs="+", default=["llama-3.1-8b"], choices=list(MODELS), metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--tokens", nargs="+", type=int, default=DECODE + PREFILL, metavar="M", help="values of M of the llm part")
    parser.add_argument("--dtypes", nargs="+", default=DTYPES, choices=DTYPES, metavar="TYPE", help=", ".join(DTYPES))
    parser.add_argument("--libraries", nargs="+", default=["PyTorch", "Triton"], choices=["PyTorch", "Triton"])
    parser.add_argument("--repeats", type=int, default=30, help="timed runs of each job (default 30)")
    parser.add_argument("--gpu", type=int, default=0, help="index of the GPU (default 0)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder for the files")
    parser.add_argument("--dry-run", action="store_true", help="list the work and stop; needs no GPU")
    options = parser.parse_args(words)
    known = [*PARTS, "device"]
    for part in options.parts:
        if part not in known:
            parser.error(f"unknown part {part}; known: {', '.join(known)}")
    if options.repeats < 1 or min(options.tokens) < 1:
        parser.error("--repeats and --tokens start at 1")
    options.parts = options.parts or PARTS
    return options


def main(words=None):
    options = arguments(words)
    jobs = [j for j in plan(options.parts, options.models, options.tokens, options.dtypes) if j.library in options.libraries]
    if options.dry_run:
        for job in jobs:
            how = f" {job.config.name()}" if job.config else ""
            print(f"{job.part}: {job.model} {job.layer} {job.m} x {job.n} x {job.k} batch {job.batch} {job.dtype} {job.library}{how}".replace("  ", " "))
        print(f"{len(jobs)} rows; {options.repeats} timed runs each")
        return
    if not jobs:
        sys.exit("nothing to measure: no job has the wanted part, type and library")
    gpu = Gpu(options.gpu, options.repeats)
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"{gpu.name}: {len(jobs)} rows")
    for part in options.parts:
        mine = [job for job in jobs if job.part == part]
        if not mine:
            continue
        if part == "device":
            path = options.out / "gpu-device.json"
            path.write_text(json.dumps(describe(gpu, mine), indent=2) + "\n")
            print(path)
            continue
        path = options.out / f"gpu-{part}.csv"
        progress = lambda done, job: print(f"\r  {part}: {done + 1} of {len(mine)} ", end="", flush=True)
        with open(path, "w", newline="") as file:
            measure_all(mine, gpu.name, gpu.measure, file, progress)
        print(f"\n{path}")


if __name__ == "__main__":
    main()
