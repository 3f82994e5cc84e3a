# A host with an NVIDIA GPU: kernels are compiled by Triton when they are first needed, or come from a shared cache.
#   docker build -f docker/cuda.Dockerfile -t tilewright-cuda .
#   docker run --rm --gpus all -v kernels:/cache -v measurements:/data tilewright-cuda tune problems.jsonl --device cuda
# Not built by the tests, which have no Docker.
FROM nvidia/cuda:12.8.1-base-ubuntu24.04
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv g++ && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
# PyTorch brings the CUDA libraries; the extra pins the version of Triton.
RUN python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir torch \
    && /opt/venv/bin/pip install --no-cache-dir '/src[triton,tune,cluster]' && rm -rf /src
ENV PATH=/opt/venv/bin:$PATH TILEWRIGHT_CACHE_DIR=/cache TILEWRIGHT_DATA_DIR=/data
# The cache must belong to the one who uses it.
RUN useradd --create-home worker && mkdir /cache /data && chown worker /cache /data
USER worker
WORKDIR /home/worker
ENTRYPOINT ["tilewright"]
CMD ["doctor"]
