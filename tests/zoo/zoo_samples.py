"""Samples of the zoo: one constructor of each family of torchvision, and architectures of different kinds."""

from __future__ import annotations

VISION = """
alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5
mobilenet_v2 mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnet50 resnext50_32x4d shufflenet_v2_x0_5
squeezenet1_1 swin_t swin_v2_t vgg11_bn vit_b_16 wide_resnet50_2 quantized_resnet18
deeplabv3_mobilenet_v3_large fcn_resnet50 lraspp_mobilenet_v3_large
fasterrcnn_mobilenet_v3_large_320_fpn fcos_resnet50_fpn keypointrcnn_resnet50_fpn maskrcnn_resnet50_fpn
retinanet_resnet50_fpn ssd300_vgg16 ssdlite320_mobilenet_v3_large
mc3_18 mvit_v2_s r2plus1d_18 r3d_18 s3d swin3d_t raft_small
"""
TEXT = """
llama mistral gemma2 gemma3_text gpt_oss bloom mpt falcon:alibi gpt2 gpt_neo qwen2_moe mixtral deepseek_v3 cohere2
mamba jamba zamba2 recurrent_gemma qwen3_next
bert deberta-v2 modernbert longformer albert
t5 longt5 bart pegasus_x whisper
vit swin convnext beit:bias segformer mobilevit videomae clip
wav2vec2 sew-d encodec patchtst
"""
TEST = "transformers/mistral transformers/t5"


def _named(source: str, names: str) -> list[str]:
    return [f"{source}/{name}" for name in names.split()]


FAMILIES = [*_named("torchvision", VISION), *_named("transformers", TEXT)]
SAMPLES = {"families": FAMILIES, "gpu": FAMILIES, "test": TEST.split()}
