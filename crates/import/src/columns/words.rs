//! Vocabulary of headers and log lines: classes of words, names of columns, and the shared tokenizer.

use gemmscope_model::units::RateUnit;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use std::collections::HashMap;
use std::sync::OnceLock;

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident: $words:literal)*) => {
        /// Class of a word next to a figure. A word may be in several classes.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Says {
            $($(#[$doc])* $class,)*
        }

        /// The words of each class, separated by blanks.
        const CLASSES: &[(Says, &str)] = &[$((Says::$class, $words),)*];
    };
}

classes! {
    /// A limit or a comparison rather than a measurement.
    Limit: "roofline roof peak spec nominal problem datasheet target theoretical ideal bound \
        expected speedup ratio diff delta limit achievable"
    /// Statistic of variation.
    Spread: "std stddev stdev dev sigma variance var sem stderr iqr mad spread cv err error noise"
    /// One-time or surrounding work, and sums over calls.
    Once: "total sum cumulative compile compiled compiling compilation tune tuning autotune \
        autotuning warmup setup copy transfer h2d d2h overhead launch packing preprocessing \
        postprocessing postproc"
    /// Measured by the host's clock.
    Host: "cpu host wall"
    /// Measured by the device's clock.
    Gpu: "gpu kernel device"
    /// A pass of a model: part or multiple of the GEMM.
    Pass: "e2e fwd bwd forward backward"
    /// A point in time.
    Moment: "stamp timestamp date start end begin created"
    /// Statistic over several runs.
    Least: "min minimum shortest best fastest"
    Most: "max maximum longest worst slowest"
    Mean: "mean median avg average typical geomean"
    /// Names of a time or a rate.
    Duration: "time times latency duration elapsed runtime dur walltime exectime kerneltime \
        microseconds milliseconds nanoseconds seconds"
    Rate: "perf performance throughput"
    /// Says nothing about the library or kernel of a figure.
    Plain: "t rate speed gemm matmul mm exec execution in per op flop tflop gflop mflop pflop ops"
    /// Sentence words without meaning for a figure.
    Prose: "took takes is was at for on with and the a got reached result results about over vs \
        versus to gives achieves achieved measured"
    /// Announces sizes.
    Announces: "shape shapes size sizes gemm matmul problem mnk m n k b batch batch_size \
        batch_count torch.size mxnxk mxkxn"
    /// Number of calls.
    Counted: "iter iters iteration iterations runs reps repeats repetitions calls trials launches times"
    /// The median of several runs, and a single run.
    Middle: "median p50 50 q50"
    Run: "run trial iter iteration rep repeat t r sample"
    /// Baseline that a figure is compared with.
    Reference: "ref reference"
    /// Memory traffic in byte/s.
    Traffic: "bandwidth bw membw gbps"
    /// Percent, and fraction of a device's peak.
    Percent: "percent percentage pct"
    OfRoof: "peak roof roofline efficiency utilization util mfu sol"
    /// Clock frequency of the device.
    Clock: "clock clk sclk freq frequency gfxclk core sm"
    /// Fillers next to the letter of a size.
    OfSize: "gemm param dim size problem matrix shape value input arg rows columns cols depth inner \
        reduction"
    /// Tile, launch or instruction parameters of a kernel.
    OfTile: "tile tiles tiling block blocks blk cta threadblock warp warps wave wg wgm workgroup \
        cluster group grid stage stages mt mi macro macrotile instruction instr inst mma config \
        configs cfg blockdim griddim dim3 threads stride strides padding smem"
    /// Peaks of a device: theoretical, achieved by large GEMMs, matrix or vector units, and fillers
    /// next to a type and a unit.
    Peak: "peak peaks theoretical mamf"
    Reached: "mamf achievable attainable measured empirical"
    MatrixUnits: "tensor matrix mfma wmma"
    VectorUnits: "vector simd valu"
    OfPeak: "dense datasheet rate compute performance perf throughput max core cores per s sec second"
    /// Main memory of a device, and other memories and links.
    MainMemory: "mem memory vram hbm dram capacity"
    OtherMemory: "l1 l2 l3 llc cache shared smem lds nvlink xgmi pcie link network interconnect"
}
use Says::*;

/// True if the lower-case word is in one of these classes.
pub(crate) fn says(word: &str, classes: &[Says]) -> bool {
    // One bit per class.
    static WORDS: OnceLock<HashMap<&str, u64>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words = HashMap::default();
        let all = CLASSES.iter().flat_map(|(c, list)| list.split(' ').map(move |w| (*c, w)));
        for (class, word) in all {
            *words.entry(word).or_default() |= 1 << class as u64;
        }
        words
    });
    let of_word = words.get(word).copied().unwrap_or(0);
    classes.iter().any(|c| of_word >> *c as u64 & 1 == 1)
}

/// True if a text contains one of these words, separated by `|`.
pub(crate) fn holds(text: &str, words: &str) -> bool {
    words.split('|').any(|word| text.contains(word))
}

/// True if one of the words is in one of these classes.
pub(crate) fn any_says(words: &[String], classes: &[Says]) -> bool {
    words.iter().any(|w| says(w, classes))
}

/// True for `p10`, `q80`, `p999`.
pub(crate) fn is_percentile(word: &str) -> bool {
    let digits = word.strip_prefix(['p', 'q']).unwrap_or("");
    (1..4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// True for a minimum, maximum or percentile other than the median.
pub(crate) fn is_extreme(word: &str) -> bool {
    says(word, &[Least, Most]) || is_percentile(word) && !matches!(word, "p50" | "q50")
}

/// Splits a header into lower-case words: at anything but letters and digits, between a lower-case and an upper-case
/// letter (`kernelName`), and between scripts (`行数M`). Common words of other languages are translated to English.
pub(crate) fn words(header: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous_small = false;
    // East Asian scripts start here.
    let east = |c: char| c > '\u{2e7f}';
    for c in header.trim().chars() {
        let letter = c.is_alphanumeric();
        let script = word.chars().next_back().is_some_and(|p| east(p) != east(c));
        if (!letter || script || (previous_small && c.is_uppercase())) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if letter {
            // Map the Greek mu to the micro sign.
            word.extend(c.to_lowercase().map(|c| if c == 'μ' { 'µ' } else { c }));
        }
        previous_small = c.is_lowercase();
    }
    if !word.is_empty() {
        out.push(word);
    }
    static ENGLISH: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let english = ENGLISH.get_or_init(|| {
        let pairs = TRANSLATED.iter().flat_map(|line| line.split(' '));
        pairs.filter_map(|pair| pair.split_once(':')).collect()
    });
    for word in &mut out {
        if let Some(english) = english.get(word.as_str()) {
            (*english).clone_into(word);
        }
    }
    out
}

/// Meaning of a whole name (lower case, words joined by `_`), with a strength from 0 to 100.
pub(crate) fn name(joined: &str) -> Option<(ColumnMeaning, u8)> {
    static NAMED: OnceLock<HashMap<String, (ColumnMeaning, u8)>> = OnceLock::new();
    let named = NAMED.get_or_init(|| {
        let all = NAMES.iter().flat_map(|(m, list)| list.split(' ').map(move |n| (*m, n)));
        let named = all.filter_map(|(m, n)| {
            let (name, sure) = n.split_once(':')?;
            Some((name, (m, sure.parse().unwrap_or(0))))
        });
        let mut named: HashMap<String, _> = named.map(|(n, meant)| (n.to_owned(), meant)).collect();
        // Accept `outfeatures` for `out_features`.
        for (joined, meant) in named.clone() {
            named.entry(joined.replace('_', "")).or_insert(meant);
        }
        named
    });
    named.get(joined).copied()
}

/// Index among M, N, K and batch of the size with this unambiguous name: `M`, `size_k`, `BatchSize`.
pub(crate) fn size(text: &str) -> Option<usize> {
    let (meaning, sure) = name(&words(text).join("_"))?;
    let place = [M, N, K, Batch].iter().position(|m| *m == meaning)?;
    (place == 3 || sure > 90).then_some(place)
}

/// Unit of the work per call that this name states, with a strength from 0 to 100.
pub(crate) fn work(joined: &str) -> Option<(RateUnit, u8)> {
    WORK.iter().find_map(|(unit, list)| {
        let sure = list.split(' ').find_map(|n| n.strip_prefix(joined)?.strip_prefix(':'))?;
        Some((*unit, sure.parse().ok()?))
    })
}

/// Pairs of a meaning and its names.
macro_rules! named {
    ($($meaning:ident: $names:literal)*) => { &[$(($meaning, $names)),*] };
}

/// Names of columns with their strengths: of several columns with one meaning, the strongest is used.
const NAMES: &[(ColumnMeaning, &str)] = named! {
    M: "m:100 size_m:95 m_size:95 mat_m:95 dim_m:95 m_dim:95 gemm_m:95 problem_m:95 shape_m:95 \
        param_m:95 size_i:80 num_tokens:50 tokens:50 token:50 seq_len:30 rows:40 num_rows:40 \
        rows_a:60 a_rows:60 n_tokens:50 batch_tokens:50 total_tokens:50 token_count:50 m_group:60 \
        m_per_group:60 tokens_expert:40 m_per_expert:60"
    N: "n:100 size_n:95 n_size:95 mat_n:95 dim_n:95 n_dim:95 gemm_n:95 problem_n:95 shape_n:95 \
        param_n:95 size_j:80 out_features:50 intermediate_size:30 ffn_hidden_size:30 ffn_dim:30 \
        out_dim:40 output_features:50 output_size:40 cols:40 columns:40 num_cols:40 cols_b:60 \
        b_cols:60 d_ff:30 n_out:40 out:20 intermediate:20 \
        ffn:20 ffn_size:30 inter_dim:30 inter_size:30 inter:20 moe_intermediate_size:30 moe_inter_dim:30"
    K: "k:100 size_k:95 k_size:95 mat_k:95 dim_k:95 k_dim:95 gemm_k:95 problem_k:95 shape_k:95 \
        param_k:95 in_features:50 hidden_size:30 hidden_dim:30 in_dim:40 input_features:50 \
        input_size:40 inner:50 inner_dim:60 cols_a:60 a_cols:60 reduction:40 d_model:30 k_in:40 \
        hidden:20 in:20 \
        model_dim:30"
    ShapeA: "a_shape:80 shape_a:80 a_size:70 a_dims:80 lhs:60 lhs_shape:80 mat1:60 x_shape:60 \
        input_shape:60"
    ShapeB: "b_shape:80 shape_b:80 b_size:70 b_dims:80 rhs:60 rhs_shape:80 mat2:60 w_shape:60 \
        weight_shape:70"
    Mnk: "shape:70 shapes:70 gemm_shape:75 problem_size:75 problem:50 problem_shape:75 \
        gemm_size:70 matrix_size:60 matrix_dim:60 matrix_shape:60 size:60 benchmark_size:60 \
        sizes:60 spec:55 benchmark:50 dims:60 dimensions:60 dim:50 dimension:50 x_val:40 \
        matrix_dimension:60"
    Square: "square:80 mnk_size:80"
    Batch: "batch:100 b:60 batch_size:95 batch_count:98 batchsize:95 batchcount:98 num_batches:90 \
        batches:90 n_batch:90 nbatch:90 param_b:95 bs:50 bsz:50"
    GroupRows: "group_rows:95"
    PerToken: "topk:95 top_k:95 num_topk:95 experts_per_token:98 experts_per_tok:98 \
        num_experts_per_token:98 num_experts_per_tok:98 n_experts_per_token:98 n_experts_per_tok:98"
    Dtype: "dtype:100 datatype:95 data_type:95 precision:90 prec:85 type:60 dt:50 numeric_type:80 \
        input_dtype:92 in_dtype:92 input_type:90 in_type:90 ab_dtype:92 dtype_ab:92"
    DtypeA: "dtype_a:98 a_dtype:98 type_a:95 a_type:95"
    DtypeB: "dtype_b:98 b_dtype:98 type_b:95 b_type:95 weight_dtype:70 w_dtype:70"
    DtypeC: "dtype_c:90 c_dtype:90 type_c:88 c_type:88 dtype_d:95 d_dtype:95 d_type:94 type_d:94 \
        out_dtype:96 output_dtype:96 outdtype:96 out_type:94 output_type:94 dtype_out:96"
    Compute: "compute_type:90 compute_dtype:90 dtype_compute:90 math_type:80"
    TransA: "trans_a:98 transa:98 a_trans:95 t_a:90 ta:90 transpose_a:95 a_transpose:95 \
        a_transposed:95 op_a:80 layout_a:85 a_layout:85"
    TransB: "trans_b:98 transb:98 b_trans:95 t_b:90 tb:90 transpose_b:95 b_transpose:95 \
        b_transposed:95 op_b:80 layout_b:85 b_layout:85"
    Layout: "layout:90 blas_layout:90 trans:80 transpose:80 transposes:80"
    Bias: "bias:90 has_bias:95 use_bias:95"
    Beta: "beta:90"
    Device: "gpu_name:100 gpu:95 device_name:98 device:90 gpu_model:95 gpu_type:95 hardware:80 \
        accelerator:85 platform:60 chip:60 hw:60 gcn_arch_name:85 gcn_arch:84 gfx:82 arch:50"
    DeviceUnits: "cu_num:90 cus:85 num_cus:85 cu_count:85 num_sms:80 sm_count:85"
    Kernel: "kernel:90 kernel_name:100 kernelname:100 knl_name:95 solution:70 solution_name:90 \
        algorithm:60 algo:60 config:45 variant:50 method:45 name:40"
    Library: "library:100 lib:95 libtype:95 lib_type:95 backend:90 provider:90 kernel_provider:90 \
        framework:80 implementation:75 impl:75 engine:60 compiler:50"
    Model: "model:100 model_name:100 workload:85 network:80 application:70 tag:60 case_tag:60 \
        model_tag:95"
    OpName: "op:60 op_name:90 operation:60 operator:70 function:60 routine:70"
    Status: "ok:95 status:90 passed:85 pass:80 valid:85 correct:85 correctness:80 verified:60 \
        verification:60 result:55 check:50 validation_ok:90 disposition:95 success:85"
    Count: "count:90 calls:95 num_calls:98 call_count:98 n_calls:98 occurrences:90 \
        operation_count:90 invocations:90 instances:70"
    Tile: "tile:90 tile_size:85 tile_shape:90 macro_tile:90 block_tile:85 block_shape:80 \
        cta_shape:85 cta_tile:85"
    SplitK: "split_k:95 splitk:95 k_split:90 ksplit:90 split_k_slices:98 gsu:85"
    Stages: "stages:95 num_stages:98 pipeline_stages:90"
    Warps: "warps:90 num_warps:98 num_waves:60"
    Workgroups: "workgroups:95 num_workgroups:95 grid_size:70 num_blocks:70"
    ReportedIntensity: "arithmetic_intensity:100 intensity:90 operational_intensity:95 ai:80 \
        oi:60 flops_byte:95 flop_byte:95 flops_per_byte:95 flop_per_byte:95"
    ReportedBytes: "bytes:80 total_bytes:85 bytes_moved:85 num_bytes:80"
    MeasuredBytes: "measured_bytes:90 dram_bytes:90 hbm_bytes:90 vram_bytes:85"
    MeasuredL2Bytes: "l2_bytes:85"
    MeasuredL1Bytes: "l1_bytes:85"
    ReportedEfficiency: "mfu:80 efficiency:80 roofline_percent:90 percent_of_peak:85 \
        pct_of_peak:85 pct_peak:85 peak_percent:85"
    Repeat: "repeat:85 rep:70 trial:80 repetition:85"
    Order: "generation:80 iteration:60 iter:50 step:50"
};

/// Names of the work per call.
const WORK: &[(RateUnit, &str)] = &[
    (
        RateUnit::Flops,
        "flop:80 flop_cnt:85 flop_count:85 total_flop:85 total_flops:85 num_flops:85",
    ),
    (RateUnit::GigaFlops, "problem_size_gflops:85 gflop:85 gflops_first:95"),
    (RateUnit::TeraFlops, "tflop:85"),
    (RateUnit::MegaFlops, "mflop:85"),
];

/// Words of headers in other languages, in lower case, with the English word each maps to.
const TRANSLATED: &[&str] = &[
    // German
    "zeit:time laufzeit:runtime dauer:duration zeilen:rows spalten:columns tiefe:depth \
     größe:size datentyp:dtype genauigkeit:precision leistung:performance durchsatz:throughput \
     bandbreite:bandwidth gerät:device stapel:batch mittel:mean",
    // French
    "temps:time durée:duration lignes:rows colonnes:columns taille:size précision:precision \
     débit:throughput moyenne:mean médiane:median",
    // Spanish and Portuguese
    "tiempo:time tempo:time duración:duration filas:rows columnas:columns tamaño:size \
     precisión:precision rendimiento:performance dispositivo:device",
    // Chinese and Japanese
    "耗时:time 时间:time 時間:time 実行時間:time 平均耗时:time 延迟:latency 行数:rows 列数:columns 算力:throughput \
     性能:performance 吞吐量:throughput 带宽:bandwidth 精度:precision 数据类型:dtype 设备:device 批量:batch",
];
