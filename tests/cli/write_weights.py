# SPDX-License-Identifier: MIT
"""A safetensors file without any library: write_weights.py FILE NAME=SHAPE=START ... writes tensors of
the numbers START, START + 1, ... (SHAPE: 2x3); write_weights.py --read FILE prints a file."""
import json
import math
import struct
import sys


def write(path, tensors):
    header, data = {"__metadata__": {"written_by": "a test"}}, b""
    for tensor in tensors:
        name, shape, start = tensor.split("=")
        shape = [int(size) for size in shape.split("x")]
        count = math.prod(shape)
        numbers = struct.pack(f"<{count}f", *(float(start) + i for i in range(count)))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def show(path):
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8:8 + length]), content[8 + length:]
    for key, value in header.pop("__metadata__").items():
        print(f"{key}: {value}")
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        numbers = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        print(name, tensor["dtype"], tensor["shape"], *numbers)


if sys.argv[1] == "--read":
    show(sys.argv[2])
else:
    write(sys.argv[1], sys.argv[2:])
