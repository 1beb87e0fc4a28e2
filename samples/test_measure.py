"""python3 -m unittest discover -s samples: what of the measuring scripts needs no GPU and no library."""

import contextlib
import csv
import io
import unittest

import measure_cpu
import measure_gpu


class Gpu(unittest.TestCase):
    def test_the_plan_covers_what_the_page_compares(self):
        jobs = measure_gpu.plan(measure_gpu.PARTS, ["llama-3.1-8b"], [1, 512], measure_gpu.DTYPES)
        self.assertEqual({j.dtype for j in jobs}, set(measure_gpu.DTYPES))
        self.assertEqual({j.phase for j in jobs if j.part == "llm"}, {"decode", "prefill"})
        flat = [j for j in jobs if j.part == "flat"]
        self.assertEqual(len(flat), 2 * 9 * 5)
        self.assertEqual({(j.m, j.k) for j in flat}, {(8, 4096), (8, 12288)})
        self.assertEqual({j.config.tile_n for j in flat}, {32, 64, 128, 256, 512})
        for job in jobs:
            self.assertTrue(job.library == "PyTorch" or job.config)

    def test_rows_of_failed_jobs_keep_the_reason_and_have_no_time(self):
        jobs = measure_gpu.plan(["tiles"], [], [1], ["fp16"])[:3]
        answers = iter([("ok", (3e-6, 1e-6, 2e-6)), ("wrong result", ()), ("ok", (5e-6,))])
        text = io.StringIO()
        measure_gpu.measure_all(jobs, "a GPU, of some kind", lambda job: next(answers), text)
        rows = list(csv.DictReader(io.StringIO(text.getvalue())))
        self.assertEqual([r["time_us"] for r in rows], ["2.000", "", "5.000"])
        self.assertEqual([r["status"] for r in rows], ["ok", "wrong result", "ok"])
        self.assertEqual(rows[0]["time_us_min"], "1.000")
        self.assertEqual((rows[2]["time_us_std"], rows[2]["repeats"]), ("", "1"))
        self.assertEqual(rows[0]["device"], "a GPU, of some kind")
        self.assertEqual(list(rows[0]), measure_gpu.COLUMNS)

    def test_a_dry_run_lists_the_work(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            measure_gpu.main(["flat", "--dtypes", "fp16", "--dry-run"])
        lines = out.getvalue().splitlines()
        self.assertEqual(len(lines), 91)
        self.assertEqual(lines[-1], "90 rows; 30 timed runs each")
        self.assertIn("8 x 1024 x 4096", lines[0])

    def test_a_device_holds_what_was_measured_and_nothing_else(self):
        class Fake:
            name, units = "NVIDIA Something", 100

            def measure(self, job):
                if job.dtype == "fp8":
                    return "no fp8 on this GPU", ()
                return "ok", (3.0, 1.0 if job.m == 8192 else 2.0, 0.5)

            def bandwidth(self):
                return 1.23456e12

            def launch_floor(self):
                return 2.0714e-6

        jobs = measure_gpu.plan(["device"], [], [], ["bf16", "fp8"])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            device = measure_gpu.describe(Fake(), jobs)
        self.assertIn("fp8 4096 x 4096 x 4096: no fp8 on this GPU", said.getvalue())
        [peak] = device["peaks"]
        self.assertEqual((peak["dtype"], peak["flops_per_s"]), ("bf16", float(f"{2 * 8192**3 / 1.0:.4g}")))
        self.assertIn("8192 x 8192 x 8192", peak["source"])
        self.assertEqual((device["name"], device["bandwidth_bytes_per_s"]), ("NVIDIA Something", 1.235e12))
        self.assertEqual(device["launch_floor_s"], 2.071e-6)
        with self.assertRaises(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            measure_gpu.describe(Fake(), measure_gpu.plan(["device"], [], [], ["fp8"]))
        self.assertNotIn("device", measure_gpu.arguments([]).parts)

    def test_wrong_words_are_refused(self):
        for words in (["nonsense"], ["--dtypes", "fp12"], ["--repeats", "0"], ["--models", "none"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                measure_gpu.arguments(words)


class Cpu(unittest.TestCase):
    def test_the_least_disturbed_samples_are_kept_whatever_their_time(self):
        timing = measure_cpu.Timing()
        quiet = [(0, float(i + 1)) for i in range(measure_cpu.KEPT)]
        timing.samples = [(5, 0.1), *quiet, (1, 0.2)]
        self.assertTrue(timing.settled)
        self.assertEqual(timing.kept, [seconds for _, seconds in quiet])
        timing.samples = timing.samples[:2]
        self.assertFalse(timing.settled)
        self.assertEqual((len(timing.kept), timing.seconds), (2, 0.55))


if __name__ == "__main__":
    unittest.main()
