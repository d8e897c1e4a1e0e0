# SPDX-License-Identifier: MIT
"""A notebook with its stored outputs, as Markdown for the site."""
import base64
import json


def as_markdown(text, save):
    """The page; save(name, bytes) stores a picture beside it."""
    out = []
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out.append(source)
            continue
        out.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            out.append(output_of(output, number, save))
    return "\n\n".join(out) + "\n"


def output_of(output, number, save):
    data = output.get("data", {})
    if "image/png" in data:
        name = f"notebook-{number}.png"
        save(name, base64.b64decode(data["image/png"]))
        return f"![output of cell {number}]({name})"
    if "text/html" in data:
        # A blank line would end the block of HTML, and the theme draws tables that have no class.
        table = "".join(data["text/html"]).replace(' border="1" class="dataframe"', "")
        return "\n".join(line for line in table.splitlines() if line.strip())
    text = "".join(output.get("text") or data["text/plain"])
    return f"```\n{text.rstrip()}\n```"
