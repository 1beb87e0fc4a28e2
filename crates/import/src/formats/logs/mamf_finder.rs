//! mamf-finder, which searches for the highest achievable matmul FLOP/s: mean, median and maximum of each shape, and of
//! the best shapes at the end. The median is used.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "mamf-finder",
    name: "MAMF finder",
    produced_by: "python mamf-finder.py --m_range 0 20480 256 --n 4096 --k 4096 --output_file=mamf.txt (ml-engineering)",
    example: "** Dtype: torch.bfloat16\n\
              \x20    1 |  584.3(mean)  585.4(median)  601.5(max) @ 1024x4096x4096 | best:  584.3(mean)  585.4(median)  601.5(max) TFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        above: &["!^** Dtype: {dtype}", "DeviceProperties(name='{device}',"],
        results: &["(mean) {tflops}(median) {number}(max) @ {m}x{n}x{k}"],
        again: &["^median: {tflops} TFLOPS @ {m}x{n}x{k} (MxNxK)"],
        dtype: DataType::Bf16,
        ..LogFormat::DEFAULT
    }),
};

#[cfg(test)]
mod tests {
    use crate::testing::read;

    #[test]
    fn the_end_alone_has_the_median() {
        let d = read(
            "Tried  3 shapes => the best outcomes were:\n\
             mean:   634.3 TFLOPS @ 2048x4096x4096 (MxNxK)\n\
             median: 634.4 TFLOPS @ 2048x4096x4096 (MxNxK)\n\
             max:    636.5 TFLOPS @ 2048x4096x4096 (MxNxK)\n",
        );
        assert_eq!((d.sources[0].format.as_str(), d.len(), d.m[0]), ("mamf-finder", 1, 2048));
        assert!((d.time_s[0] - 2.0 * 2048.0 * 4096.0 * 4096.0 / 634.4e12).abs() < 1e-15);
    }
}
