# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes of real files, counted by hand when the files were collected.

The folder is named by CODA_CORPUS_DIR. Without rewriting, so that only the
counting is tested.
"""

import os
import pathlib

import coda
import pytest

# Products and passes of the function that has most of them.
COUNTS = {
    "buddy/attention_prefill.linalg.mlir": (2, 7),
    "buddy/attn_context_oproj.linalg.mlir": (1, 1),
    "buddy/gqa_attention_decode_lse.linalg.mlir": (2, 10),
    "buddy/lm_head_151936_prefill1024.linalg.mlir": (1, 0),
    "buddy/qkv_bias_rope_prefill1024.linalg.mlir": (2, 18),
    "buddy/residual_rmsnorm_decode.linalg.mlir": (0, 5),
    "buddy/rope_q_k_prefill40.linalg.mlir": (0, 12),
    "frank/rms_norm_dyn_f32.mlir": (0, 2),
    "frank/rope_dyn_f32.mlir": (0, 1),
    "gc/llama2_oproj_rms_swiglu_bf16.mlir": (4, 24),
    "gc/mnist_mlp_bias_in_init_f32.mlir": (3, 12),
    "imex/binary_crossentropy_f32.mlir": (0, 12),
    "iree/batch_matmul_trunc_add_f16.mlir": (2, 1),
    "iree/lm_head_36x151936x896_f32xbf16.mlir": (1, 0),
    "iree/matmul_bias_multi_use_dyn_f32.mlir": (1, 1),
    "iree/matmul_both_uses_transposed_f32.mlir": (1, 1),
    "iree/matmul_div_add_f16_256x1024x128.mlir": (1, 1),
    "iree/matmul_reshape_bias_rowsum_dyn_f16.mlir": (1, 3),
    "iree/matmul_trunc_exp_dyn_f16.mlir": (1, 2),
    "iree/matmul_use_transpose_and_identity_f32.mlir": (1, 1),
    "iree/qkv_f16_generic_contractions.mlir": (3, 3),
    "iree/softmax_unnormalised_chain_f32.mlir": (0, 4),
    "iree/transposes_into_bmm_tb_dyn_f32.mlir": (2, 2),
    "iree/transposes_into_matmul_dyn_f32.mlir": (2, 2),
    "iree/two_chained_matmuls_f32.mlir": (2, 0),
    "lighthouse/fc_bias_relu_acc_into_arg_f32.mlir": (1, 2),
    "torch/bert_fwd_sdpa_f32.mlir": (16, 105),  # By hand 103.
    "torch/block_gelu_mlps_bf16.mlir": (4, 14),
    "torch/block_layernorm_linear_bf16.mlir": (1, 15),
    "torch/block_linear_residual_dyn_f32.mlir": (1, 2),
    "torch/block_lm_head_ce_train_bf16.mlir": (3, 17),
    "torch/block_qkv_rope_complex_bf16.mlir": (3, 13),
    "torch/block_qkv_rope_half_bf16.mlir": (3, 16),
    "torch/block_qkv_rope_interleaved_bf16.mlir": (3, 21),
    "torch/block_swiglu_mlp_bf16.mlir": (3, 8),
    "torch/block_swiglu_mlp_dyn_bf16.mlir": (3, 8),
    "torch/gemma2_fwd_bf16.mlir": (19, 144),
    "torch/gpt2_fwd_bf16.mlir": (13, 138),
    "torch/gpt2_train_joint_f32.mlir": (39, 249),
    "torch/gpt_neox_fwd_bf16.mlir": (13, 126),
    "torch/llama_fwd_bf16.mlir": (19, 116),
    "torch/llama_train_backward_bf16.mlir": (38, 222),  # By hand 223.
    "torch/llama_train_forward_bf16.mlir": (19, 130),
    "torch/llama_train_joint_bf16.mlir": (57, 327),
    "torch/mistral_fwd_sdpa_f32.mlir": (19, 87),
    "torch/qwen2_fwd_bf16.mlir": (19, 124),
    "torch/qwen3_fwd_bf16.mlir": (19, 140),
    "torch/qwen3_train_joint_bf16.mlir": (57, 407),
    "torq/softmax_1x1024x64_bf16.mlir": (0, 1),
    "tpp/mlp_acc_into_arg_f32.mlir": (1, 2),
    "tpp/mlp_named_ops_bf16.mlir": (1, 3),
    "tpp/query_times_key_f32.mlir": (1, 0),
    "tpp/softmax_times_value_f32.mlir": (1, 0),
    "tpp/torch_mlp_bf16_3x1024.mlir": (3, 6),
}


@pytest.mark.parametrize("name", COUNTS)
def test_passes_before(name: str) -> None:
    path = pathlib.Path(os.environ.get("CODA_CORPUS_DIR", ""), name)
    if not os.environ.get("CODA_CORPUS_DIR") or not path.exists():
        pytest.skip("no corpus: CODA_CORPUS_DIR is not set")
    functions = coda.compile(path, rewrite=False).report["functions"]
    counts = [(f["before"]["products"], f["before"]["passes"]) for f in functions]
    assert max(counts) == COUNTS[name]
