//! Titles from real files.

use super::*;
use TimeUnit::*;
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning::*;

#[test]
fn headers_seen_in_real_files() {
    let time = |u| ColumnSpec::time(Time, Some(u));
    let rate = |u| ColumnSpec::rate(ReportedRate, Some(u));
    let bandwidth = |u| ColumnSpec::bandwidth(Some(u));
    for (header, spec) in [
        ("M", M.into()),
        (" m ", M.into()),
        ("param: M", M.into()),
        ("SizeI", M.into()),
        ("M (rows)", M.into()),
        ("gemm M", M.into()),
        ("op_m_n_k", Mnk.into()),
        ("(M, N, K)", Mnk.into()),
        ("m_n_k", Mnk.into()),
        ("batch_count", Batch.into()),
        ("mean_microseconds", time(Microseconds)),
        ("us", time(Microseconds)),
        ("time_us", time(Microseconds)),
        ("timeUs", time(Microseconds)),
        ("time (ms)", time(Milliseconds)),
        ("latency[ns]", time(Nanoseconds)),
        ("Kernel Time (µs)_mean", time(Microseconds)),
        ("Kernel Time (μs)_mean", time(Microseconds)),
        ("Time (msec)", time(Milliseconds)),
        ("elapsed_ms", time(Milliseconds)),
        ("Runtime", Time.into()),
        ("real_time", Time.into()),
        ("duration_us_median", time(Microseconds)),
        ("min_ms", ColumnSpec::time(TimeMin, Some(Milliseconds))),
        ("stddev_ms", ColumnSpec::time(TimeStd, Some(Milliseconds))),
        ("timestamp", Other.into()),
        ("start_us", Other.into()),
        ("Zeit (ms)", time(Milliseconds)),
        ("耗时(us)", time(Microseconds)),
        ("tflops", rate(RateUnit::TeraFlops)),
        ("hipblaslt-Gflops", rate(RateUnit::GigaFlops)),
        ("GFLOPs", rate(RateUnit::GigaFlops)),
        ("TFLOPS/s_mean", rate(RateUnit::TeraFlops)),
        ("TERAFLOPS", rate(RateUnit::TeraFlops)),
        ("tflop_per_s", rate(RateUnit::TeraFlops)),
        ("Performance", ReportedRate.into()),
        ("roofline_tflops", Other.into()),
        ("roofline_percent", ReportedEfficiency.into()),
        ("hipblaslt-GB/s", bandwidth(BandwidthUnit::Gigabytes)),
        ("tb_per_sec", bandwidth(BandwidthUnit::Terabytes)),
        ("bw", ReportedBandwidth.into()),
        ("FLOPS/Byte", ReportedIntensity.into()),
        ("bytes/s", bandwidth(BandwidthUnit::Bytes)),
        ("bytes", ReportedBytes.into()),
        ("dram_bytes", MeasuredBytes.into()),
        ("HBM bytes", MeasuredBytes.into()),
        ("l2_bytes", MeasuredL2Bytes.into()),
        ("flopCnt", ColumnSpec::rate(ReportedWork, Some(RateUnit::Flops))),
        ("workspace_bytes", Other.into()),
        ("kernelName", Kernel.into()),
        ("BLOCK_SIZE_M", TileM.into()),
        ("tileM", TileM.into()),
        ("cta_n", TileN.into()),
        ("BK", TileK.into()),
        ("B_M", TileM.into()),
        ("B_N", TileN.into()),
        ("b_k", TileK.into()),
        ("transA", TransA.into()),
        ("tB", TransB.into()),
        ("a_type", DtypeA.into()),
        ("outdtype", DtypeC.into()),
        ("GPU", Device.into()),
        ("gcnArchName", Device.into()),
        ("cu_num", DeviceUnits.into()),
        ("sclk_mhz", MeasuredClock.into()),
        ("cuBLAS (TFLOPS)", rate(RateUnit::TeraFlops)),
        ("GlobalMem BW (bytes/sec)", bandwidth(BandwidthUnit::Bytes)),
        ("bandwidth_gb_s", bandwidth(BandwidthUnit::Gigabytes)),
        ("", Other.into()),
        ("errRatio", Other.into()),
        ("stride_a", Other.into()),
        ("alpha", Other.into()),
    ] {
        assert_eq!(title(header).spec, spec, "{header}");
    }
}

#[test]
fn the_better_time_is_stronger() {
    let strength = |h| title(h).strength;
    assert!(strength("median_ms") > strength("mean_ms"));
    assert!(strength("mean_ms") > strength("total_ms"));
    assert!(strength("gpu_time_us") > strength("cpu_time_us"));
    assert!(strength("time_us") > strength("time"));
    assert!(strength("kernel_time_ms") > strength("compile_time_ms"));
}
