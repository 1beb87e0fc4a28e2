project = "A manual with a benchmark"
extensions = ["myst_parser", "gemmscope_sphinx"]
gemm_scope_viewer = "https://host/gemmscope/"

# For the element written by hand.
html_js_files = [("https://host/gemmscope/gemm-scope.js", {"type": "module"})]
html_extra_path = ["bench.csv"]
