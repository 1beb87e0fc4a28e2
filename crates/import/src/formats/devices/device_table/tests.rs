use super::*;
use crate::read_all;
use gemmscope_model::hardware::RoofKind;

fn read(text: &str) -> Result<Imported, ImportError> {
    read_all("t.csv", text.as_bytes(), &ImportOptions::default())
}

fn devices(text: &str) -> Vec<Device> {
    match read(text) {
        Ok(Imported::Devices(d)) => d,
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> ImportError {
    read(text).unwrap_err()
}

#[test]
fn a_column_a_type() {
    let d = devices(
        "GPU;Vendor;FP16 dense (TFLOPS);INT8 TOPS;FP8 sparse TFLOPS;fp64_vector_gflops;MAMF fp16 [TFLOP/s];\
         L2 bandwidth (GB/s);Memory bandwidth (TB/s);Memory (GB);SMs;boost_clock_mhz;TDP (W)\n\
         A;Maker;312;624;;9700;250;5000;1.5;80;108;1410;400\n\
         B;Maker;100,5;;;;;;0,9;;;;\n",
    );
    assert_eq!(d.len(), 2);
    let a = &d[0];
    assert_eq!((a.id.as_str(), a.vendor.as_str()), ("a", "Maker"));
    assert_eq!(a.bandwidth_bytes_per_s, 1.5e12);
    assert_eq!((a.memory_bytes, a.units), (Some(80e9), Some(108)));
    assert_eq!(a.clock_hz, Some(1.41e9));
    let peak = |d: &Device, t| d.roof(t, RoofKind::Datasheet).map(|r| r.peak_flops_per_s);
    assert_eq!(peak(a, DataType::Fp16), Some(312e12));
    assert_eq!(peak(a, DataType::Int8), Some(624e12));
    assert_eq!(peak(a, DataType::Fp64), Some(9.7e12));
    // The rate with sparsity is not a peak.
    assert_eq!(peak(a, DataType::Fp8E4m3), None);
    let best = a.roof(DataType::Fp16, RoofKind::Achievable).unwrap();
    assert_eq!(best.peak_flops_per_s, 250e12);
    assert_eq!(peak(&d[1], DataType::Fp16), Some(100.5e12));
    assert_eq!(a.notes, "Unused columns: FP8 sparse TFLOPS, L2 bandwidth (GB/s), TDP (W).");
}

#[test]
fn a_row_a_type() {
    let d = devices(
        "device,dtype,peak_gflops,bandwidth_gb_s,source\n\
         X,fp16,100000,900,sheet 1\nX,fp32,50000,,sheet 2\nY,bf16,7000,90,own\n",
    );
    assert_eq!(d.len(), 2);
    assert_eq!((d[0].peaks.len(), d[0].bandwidth_bytes_per_s), (2, 900e9));
    assert_eq!(d[0].peaks[1].flops_per_s, 50e12);
    assert_eq!(d[0].peaks[1].source, "sheet 2");
}

#[test]
fn a_known_device_keeps_its_name_and_what_the_table_leaves_open() {
    let d = devices("name,bf16,mem_bw_gbps\nmi300x,1300,5200\nMy card,10,100\n");
    assert_eq!((d[0].id.as_str(), d[0].units), ("mi300x-imported", Some(304)));
    assert_eq!((d[0].name.as_str(), d[0].peaks.len()), ("mi300x", 1));
    assert_eq!(d[1].units, None);
    assert!(d[1].notes.contains("assuming TFLOP/s"), "{}", d[1].notes);
}

#[test]
fn without_a_bandwidth_it_is_named_and_not_asked_for_columns() {
    for text in [
        "device,backend,precision,cores,peak_gflops,source\nX,cuda,fp16,,989000,sheet\n",
        "gpu,peak_fp16_tflops,peak_fp8_tflops\nX,312,624\n",
    ] {
        let e = error(text);
        assert_eq!(e.kind, ErrorKind::Foreign, "{e}");
        assert!(e.message.contains("bandwidth_gb_s"), "{e}");
    }
    // The same if only the file's name mentions peaks.
    let text = "device,precision,gflops\nX,fp16,989000\n";
    let read = read_all("peaks.csv", text.as_bytes(), &ImportOptions::default());
    assert_eq!(read.unwrap_err().kind, ErrorKind::Foreign);
}

#[test]
fn a_flaw_is_named_with_its_place() {
    let head = "device,fp16,bandwidth\n";
    for (rows, place, words) in [
        ("X,oops,900\n", (2, 2), "oops"),
        ("X,-3,900\n", (2, 2), "negative"),
        ("X,312,900\nX,312,900\n", (3, 1), "already in line 2"),
        ("X,312000000,900\n", (2, 2), "put the unit"),
        ("X,312,3.35\n", (2, 3), "“bandwidth (GB/s)”"),
        ("X,312,\n", (2, 0), "no memory bandwidth"),
        ("X,,900\n", (2, 0), "no peak rate"),
        (",312,900\n", (2, 1), "name of a device"),
        ("", (0, 0), "no rows"),
    ] {
        let e = error(&format!("{head}{rows}"));
        assert_eq!((e.line, e.column), place, "{rows}: {e}");
        assert!(e.message.contains(words), "{e}");
    }
    let long = "device,dtype,tflops,bandwidth_gb_s\n";
    let twice = error(&format!("{long}X,fp16,1,9\nX,fp16,2,9\n"));
    assert!(twice.message.contains("two peaks for fp16"), "{twice}");
    let other = error(&format!("{long}X,fp16,1,9\nX,fp32,2,8\n"));
    assert!(other.message.contains("different bandwidth"), "{other}");
    assert!(error(&format!("{long}X,nope,1,9\n")).message.contains("nope"));
}

#[test]
fn a_table_of_gemms_is_none_of_devices() {
    for text in [
        "device,M,N,K,dtype,time_us,peak_tflops,bandwidth_gb_s\nX,64,64,64,fp16,10,312,900\n",
        "gpu,n,precision,gflops,peak_gflops,bandwidth_gb_s\nX,64,fp16,10,312,900\n",
    ] {
        let head = Head::of(text);
        assert_eq!(claim(&head), None, "{text}");
    }
}
