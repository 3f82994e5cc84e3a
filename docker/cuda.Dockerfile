# A host with an NVIDIA GPU: kernels are compiled by Triton when they are first needed, or come from a shared cache.
#   docker build -f docker/cuda.Dockerfile -t tilewright-cuda .
#   docker run --rm --gpus all -v kernels:/cache -v measurements:/data tilewright-cuda tune problems.jsonl --device cuda
# Tried: pip installs from exactly the copied files (a test of `make test-all`), also with these extras, and a plain user
# runs `doctor`, CPU kernels and Triton builds there. Not tried: this image, its base and a GPU; the tests have no Docker.
FROM nvidia/cuda:12.8.1-base-ubuntu24.04
# python3-dev has Python.h: without it each call costs some ten microseconds more.
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-dev python3-venv g++ \
    && rm -rf /var/lib/apt/lists/*
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
