# A host with an AMD GPU: hipcc of ROCm compiles CK Tile kernels, Triton its own.
#   docker build -f docker/rocm.Dockerfile -t tilewright-rocm .
#   docker run --rm --device /dev/kfd --device /dev/dri --group-add video --group-add render \
#     -v kernels:/cache -v measurements:/data tilewright-rocm doctor
# Not built by the tests, which have no Docker; tilewright has never run on an AMD GPU.
FROM rocm/dev-ubuntu-24.04:6.4.1-complete
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv g++ && rm -rf /var/lib/apt/lists/*
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
