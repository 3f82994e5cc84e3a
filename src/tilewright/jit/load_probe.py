"""A program: opens one library in a separate process and prints its `tw_info`. See `load_check`.

It imports nothing of tilewright, so that it starts within a few milliseconds: `python -I -S load_probe.py FILE KERNEL`.
With KERNEL "1" the library is a kernel, and one line goes to stdout: ABI version, size of the arguments, digest.
Errors are text on stderr and a status other than 0.
"""

import ctypes
import os
import sys


class _Info(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("args_size", ctypes.c_uint32), ("digest", ctypes.c_char_p)]


def main(path: str, kernel: str) -> int:
    """Open the library at `path`; return the exit status."""
    try:
        library = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as problem:
        print(problem, file=sys.stderr)
        return 3
    if kernel == "1":
        library.tw_info.restype = ctypes.POINTER(_Info)
        found = library.tw_info()
        if not found:
            print("tw_info returned null", file=sys.stderr)
            return 3
        digest = (found.contents.digest or b"").decode("ascii", "replace")
        print(f"{found.contents.abi_version} {found.contents.args_size} {digest}", flush=True)
    os._exit(0)  # skip the destructors of the library


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
