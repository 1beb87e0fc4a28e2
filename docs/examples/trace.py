"""Records one step of a model: step() is yours."""
import torch
from torch.profiler import ProfilerActivity, profile

step()  # warm up: what is compiled or tuned the first time is no part of the trace
both = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
with profile(activities=both, record_shapes=True) as trace:
    step()
    torch.cuda.synchronize()
trace.export_chrome_trace("trace.json.gz")
