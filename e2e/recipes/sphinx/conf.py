project = "A manual with a benchmark"
extensions = ["myst_parser"]
html_js_files = [("https://host/gemmscope/gemm-scope.js", {"type": "module"})]
html_extra_path = ["bench.csv"]
