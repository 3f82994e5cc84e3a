# A host with an AMD GPU: hipcc of ROCm compiles CK Tile kernels, Triton its own.
#   docker build -f docker/rocm.Dockerfile -t tilewright-rocm .
#   docker run --rm --device /dev/kfd --device /dev/dri --group-add video --group-add render \
#     -v kernels:/cache -v measurements:/data tilewright-rocm doctor
# Tried: pip installs from exactly the copied files (a test of `make test-all`), also with these extras, and a plain user
# runs `doctor`, CPU kernels and Triton builds there. Not tried: this image, its base and a GPU; the tests have no Docker.
# tilewright has never run on an AMD GPU.
FROM rocm/dev-ubuntu-24.04:6.4.1-complete
# python3-dev has Python.h: without it each call costs some ten microseconds more.
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-dev python3-venv g++ \
    && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN python3 -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir '/src[triton,tune,cluster,ninja]' && rm -rf /src
ENV PATH=/opt/venv/bin:/opt/rocm/bin:$PATH TILEWRIGHT_CACHE_DIR=/cache TILEWRIGHT_DATA_DIR=/data
# The cache must belong to the one who uses it.
RUN useradd --create-home worker && mkdir /cache /data && chown worker /cache /data
USER worker
WORKDIR /home/worker
ENTRYPOINT ["tilewright"]
CMD ["doctor"]
