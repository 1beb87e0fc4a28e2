//! Names as the libraries print them, and text that is no kernel name.

use super::*;
use proptest::prelude::*;

fn tile(name: &str) -> Option<String> {
    KernelName::parse(name).tile.map(|tile| tile.to_string())
}

#[test]
fn tiles_of_every_family() {
    for (name, expected) in [
        ("Cijk_Ailk_Bjlk_HBH_MT64x128x16_SE_K1", "64x128x16"),
        ("cutlass_tensorop_h16816gemm_256x128_32x3_nn_align8", "256x128x32"),
        ("_ZN5aiter39bf16gemm_fp32bf16_tn_64x64_splitk_cleanE", "64x64"),
        ("_ZN5aiter24bf16gemm_bf16_tn_256x256E", "256x256"),
        ("_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E", "32x128"),
        ("a8w8_rowwise_256x16x64x512_16x16_1x1_32x8x1_32x8x1", "16x64x512"),
        ("a8w8_blockscale_1x128x128_256x16x64x256_16x16_1x1", "16x64x256"),
        ("flydsl_gemm4_abf16_wbf16_bf16_t16x64x256_split_k4_block_m_warp1", "16x64x256"),
        ("opus_bmm_a8w8_mxscale_flatmm_splitk_256x16x32x512_1x2_16x16x32", "16x32x512"),
        ("opus_gemm_512x128x128x64_2x4_16x16x32_0x0x0_nooob_4g_safe", "128x128x64"),
        ("fmoe_stage1_bf16_pertokenFp8_g1u1_32x64_4tg_pf3", "32x64"),
        ("nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "64x64x64"),
        ("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT", "64x8x64"),
        ("ampere_s16816gemm_fp16_256x128_ldg8_stages_64x3_nn", "256x128x64"),
        ("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1", "256x128"),
        ("volta_sgemm_128x64_nn", "128x64"),
        ("cutlass_simt_sgemm_128x128_8x2_nn_align1", "128x128x8"),
        ("cutlass_tensorop_s16832spgemm_f16_256x128_64x3_nt_align8", "256x128x64"),
        (
            "cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64_1x2x1_0_tnn_align8",
            "128x128x64",
        ),
        (
            "DeviceGemm_Xdl_CShuffleV3<RRR> BlkSize: 256, BlkTile: 224x256x64, WaveTile: 16x16",
            "224x256x64",
        ),
        ("BLOCK_SIZE_M: 128, BLOCK_SIZE_N: 256, BLOCK_SIZE_K: 64, num_warps: 8", "128x256x64"),
    ] {
        assert_eq!(tile(name).as_deref(), Some(expected), "{name}");
        assert_eq!(KernelName::parse(name).kind, KernelRole::Gemm, "{name}");
    }
}

#[test]
fn names_without_a_tile() {
    for name in [
        "sol2",
        "auto",
        "Default",
        "Gemm_Rocblas_1140853253",
        "gemm_512x512x512",
        "BM_Gemm/1024x1024x512",
        "matmul 4096x4096",
        "",
    ] {
        assert_eq!(KernelName::parse(name), KernelName::default(), "{name}");
    }
    for (name, kind) in [
        ("Cijk_S_PostGSU8_VW4", KernelRole::Helper),
        ("void cublasLt::splitKreduce_kernel<32, 16, int>", KernelRole::Helper),
        ("void gemvx::kernel<int, int, float>", KernelRole::MatrixVector),
        ("gemv2T_kernel_val", KernelRole::MatrixVector),
        ("void dot_kernel<float, 128, 0>", KernelRole::MatrixVector),
    ] {
        let parsed = KernelName::parse(name);
        assert_eq!((parsed.kind, parsed.tile), (kind, None), "{name}");
    }
}

#[test]
fn tensile_says_much_more() {
    let name = KernelName::parse(
        "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x32x256_MI16x16x1_SN_GSUAMBSK_ISA942_SK0_\
         SKXCCM0_WS64_WG16_4_4",
    );
    assert_eq!(name.library, Library::Tensile);
    assert_eq!(name.type_code.as_deref(), Some("BBS_BH"));
    assert_eq!(name.dtype, Some(DataType::Bf16));
    assert_eq!(name.transposes, Some((true, false)));
    assert_eq!(name.threads, Some(256));
    assert_eq!((name.split_k, name.stream_k), (None, Some(false)));
    assert!(name.split_k_at_run_time);
    assert_eq!(name.row_major_tile(), Some(Tile { m: 32, n: 16, k: Some(256) }));
    // cuBLAS is called in column-major order: 7 x 20 workgroups for 888 x 2880.
    let nvjet = KernelName::parse("nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN");
    assert_eq!(nvjet.row_major_tile().map(|t| (t.m, t.n)), Some((128, 144)));
    let own =
        KernelName::parse("cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_128x256x64_2x1x1_0_tnn");
    assert_eq!(own.row_major_tile().map(|t| (t.m, t.n)), Some((128, 256)));
    let split = KernelName::parse("Cijk_Ailk_Bjlk_SB_MT64x64x8_SE_GSU4_SK3_WG16_16_1");
    assert_eq!((split.split_k, split.stream_k), (Some(4), Some(true)));
    assert_eq!(split.type_code.as_deref(), Some("SB"));
    assert_eq!(split.transposes, Some((false, true)));
}

#[test]
fn a_macro_tile_of_any_library() {
    for (name, tile, split_k) in [
        ("mt64x128_sk1", "64x128", Some(1)),
        ("mt64x128x32_sk4_bf16", "64x128x32", Some(4)),
        ("gemm_mt256x128x64_splitk2", "256x128x64", Some(2)),
        ("MT128x224x64", "128x224x64", None),
    ] {
        let parsed = KernelName::parse(name);
        assert_eq!(parsed.tile.map(|t| t.to_string()).as_deref(), Some(tile), "{name}");
        assert_eq!((parsed.split_k, parsed.kind), (split_k, KernelRole::Gemm), "{name}");
    }
    assert_eq!(KernelName::parse("mt64_sk1").tile, None);
}

/// cuBLAS kernels and the type of their multiplication.
#[test]
fn multiplied_types() {
    for (name, wanted) in [
        (
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x256x32_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
            DataType::Tf32,
        ),
        (
            "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
            DataType::Fp32,
        ),
        (
            "sm90_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x128x16_stage3_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas",
            DataType::Fp64,
        ),
        (
            "void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16>(cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16::Params)",
            DataType::Int8,
        ),
        (
            "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>(Params)",
            DataType::Tf32,
        ),
        (
            "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_f16_128x128_32x2_tn_align4>(Params)",
            DataType::Fp16,
        ),
        ("ampere_sgemm_128x64_tn", DataType::Fp32),
    ] {
        assert_eq!(KernelName::parse(name).dtype, Some(wanted), "{name}");
    }
}

#[test]
fn stages_splits_threads_layouts() {
    let parse = KernelName::parse;
    assert_eq!(parse("cutlass_tensorop_h16816gemm_256x128_32x3_nn_align8").stages, Some(3));
    let ampere = parse("ampere_s16816gemm_fp16_256x128_ldg8_stages_64x3_nn");
    assert_eq!((ampere.stages, ampere.transposes), (Some(3), Some((false, false))));
    assert_eq!(ampere.library, Library::CuBlas);
    assert_eq!(ampere.dtype, Some(DataType::Fp16));
    assert_eq!(parse("volta_sgemm_128x64_nn").dtype, Some(DataType::Fp32));
    let nvjet = parse("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT");
    assert_eq!((nvjet.stages, nvjet.transposes), (Some(16), Some((true, false))));
    assert!(nvjet.split_k_at_run_time && nvjet.persistent);
    assert_eq!(nvjet.dtype, Some(DataType::Bf16));
    assert_eq!(
        parse("nvjet_sm90_qqtst_128x128_128x6_1x2_h_bz_coopA_algo2_TNT").dtype,
        Some(DataType::Fp8E4m3)
    );
    let half = parse("nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_TNN");
    assert_eq!((half.dtype, half.transposes), (Some(DataType::Fp16), Some((true, false))));
    let flydsl = parse("flydsl_gemm4_abf16_wbf16_bf16_t16x64x256_split_k4_block_m_warp1");
    assert_eq!((flydsl.split_k, flydsl.dtype), (Some(4), Some(DataType::Bf16)));
    assert_eq!(parse("a8w8_rowwise_256x16x64x512_16x16_1x1").threads, Some(256));
    let opus = parse("opus_gemm_512x128x128x64_2x4_16x16x32");
    assert_eq!((opus.threads, opus.library), (Some(512), Library::Opus));
    let triton =
        parse("mm BLOCK_SIZE_M_128_BLOCK_SIZE_N_64_GROUP_SIZE_M_8_NUM_KSPLIT_2_num_stages_3");
    assert_eq!((triton.group_m, triton.split_k, triton.stages), (Some(8), Some(2), Some(3)));
    assert_eq!(
        parse("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_x").dtype,
        Some(DataType::Bf16)
    );
}

#[test]
fn the_generation_of_a_kernel() {
    for (name, generation) in [
        ("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8", Some(80)),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm>", Some(80)),
        ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_nn", Some(80)),
        ("turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_nn", Some(75)),
        ("volta_h884gemm_128x64_nn", Some(70)),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64", Some(80)),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64", Some(90)),
        ("cutlass3x_sm100_tensorop_s256x128x16gemm_bf16", Some(100)),
        // Without tensor cores the generation does not matter.
        ("cutlass_80_simt_sgemm_128x32_8x5_nn_align1", None),
        ("volta_sgemm_128x64_nn", None),
        ("nvjet_tst_64x64_64x16_2x1_v_bz_TNT", None),
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32", None),
    ] {
        assert_eq!(built_for(name), generation, "{name}");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in ".*") {
        let _ = KernelName::parse(&text);
    }

    #[test]
    fn near_names_are_survived(
        text in "(Cijk_|_ZN2ck|GridwiseGemm|ELi|Li[0-9]{0,12}E|MT|GemmSpecialization\\)|, |[0-9]{1,11}|x|_|nvjet_|tn|BLOCK_SIZE_[MNK]|gemm|cutlass|é){0,24}"
    ) {
        let parsed = KernelName::parse(&text);
        if let Some(tile) = parsed.tile {
            prop_assert!(tile.m > 0 && tile.n > 0 && tile.k != Some(0));
        }
    }

    #[test]
    fn a_tile_is_read_back(m in 1u32..1024, n in 1u32..1024, k in 1u32..1024) {
        let name = format!("Cijk_Ailk_Bljk_HHS_BH_MT{m}x{n}x{k}_MI16x16x1");
        prop_assert_eq!(tile(&name), Some(format!("{m}x{n}x{k}")));
    }
}

#[test]
fn the_last_number_of_matmul_ogs_is_its_split_k() {
    for (name, split_k, dtype) in [
        ("_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", 1, DataType::Bf16),
        ("_p_matmul_ogs_NTN_bf16xfp8e4nvxmxfp4_128x128x128x4", 4, DataType::Fp8E4m3),
    ] {
        let parsed = KernelName::parse(name);
        assert_eq!(parsed.tile, Some(Tile { m: 128, n: 128, k: Some(128) }), "{name}");
        assert_eq!((parsed.library, parsed.split_k), (Library::Triton, Some(split_k)), "{name}");
        assert_eq!(parsed.dtype, Some(dtype), "{name}");
    }
}
