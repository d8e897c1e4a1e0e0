"""The rules of the source tree. A rule takes a Tree and yields an Error for each place that breaks it."""
import collections
import pathlib
import re

Error = collections.namedtuple("Error", "path line text")

# Who may include whom: the architecture.
MAY_INCLUDE = {
    "experiments": ["experiments"],
    "topology": ["experiments", "topology"],
    "models": ["experiments", "models"],
    "training": ["experiments", "topology", "models", "training"],
    "sim": ["experiments", "topology", "models", "training", "sim"],
    "exec": ["experiments", "topology", "models", "training", "exec"],
    "cli": ["experiments", "topology", "models", "training", "sim", "exec", "cli"],
}
FOLDERS = [*MAY_INCLUDE, "plots", "tests", "cmake", "scripts"]
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
HEADERS = {".hpp", ".cuh"}
TEXT = CPP | {".py", ".cmake", ".txt", ".sh", ""}
VAGUE_NAMES = {"utils", "util", "common", "base", "manager", "helper", "helpers"}
COLUMNS = 100
LINES = 450

# Families: every .cpp of the folder defines a row that the table names.
TABLES = {
    "training/policies": "training/policies/update_policy.cpp",
    "training/aggregations": "training/aggregations/aggregation.cpp",
}
ROW = re.compile(r"^Variant<\w+> (\w+)\(\) \{", re.MULTILINE)
# Families whose rows are made of types: the table includes a header for each variant.
INCLUDED = {
    "training/stragglers": "training/stragglers/straggler_table.cpp",
}
# Headers of those folders that are no variant, but what the family is for.
NOT_VARIANTS = {"straggler.hpp", "stragglers.hpp"}


class Tree:
    """The files below a root, by path relative to it, with their text."""

    def __init__(self, root):
        self.texts = {}
        root = pathlib.Path(root)
        for folder in FOLDERS:
            for file in sorted((root / folder).rglob("*")):
                if file.is_file() and file.suffix in TEXT and "__pycache__" not in file.parts:
                    self.texts[file.relative_to(root)] = file.read_text(encoding="utf-8")

    def lines(self, suffixes):
        """(path, line number, line) of every line of the files with these suffixes."""
        for path, text in self.texts.items():
            if path.suffix in suffixes:
                for number, line in enumerate(text.split("\n"), 1):
                    yield path, number, line


def includes_follow_the_arrows(tree):
    for path, number, line in tree.lines(CPP):
        found = re.match(r'\s*#\s*include "([^"]+)"', line)
        allowed = MAY_INCLUDE.get(path.parts[0])
        if found and allowed and found[1].split("/")[0] not in allowed:
            yield Error(path, number, f"{path.parts[0]}/ includes '{found[1]}' "
                                      f"(it may include only: {', '.join(allowed)})")


def names_say_what_is_inside(tree):
    for path in tree.texts:
        for part in path.parts:
            vague = VAGUE_NAMES & set(re.split(r"[_\-.]", part.lower()))
            if vague:
                yield Error(path, 1, f"'{part}' says nothing (avoid '{vague.pop()}': name the concept)")


def headers_open_with_what_they_are(tree):
    for path, text in tree.texts.items():
        if path.suffix not in HEADERS:
            continue
        if not any(line.startswith("/// \\file") for line in text.split("\n")[:3]):
            yield Error(path, 1, "a header opens with '/// \\file' and what it is")
        if "#pragma once" not in text.split("\n"):
            yield Error(path, 1, "a header needs '#pragma once'")


def lines_fit_the_page(tree):
    for path, number, line in tree.lines(CPP):
        if len(line) > COLUMNS:
            yield Error(path, number, f"{len(line)} columns (at most {COLUMNS})")


def files_stay_short(tree):
    for path, text in tree.texts.items():
        count = text.count("\n")
        if path.suffix in CPP and count > LINES:
            yield Error(path, LINES + 1, f"{count} lines (at most {LINES}: one file, one concept)")


def no_trailing_space(tree):
    for path, number, line in tree.lines(TEXT):
        if line != line.rstrip():
            yield Error(path, number, "trailing space")


def files_end_with_a_newline(tree):
    for path, text in tree.texts.items():
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            yield Error(path, text.count("\n") + 1, "a file ends with exactly one newline")


def only_one_door_to_yaml_cpp(tree):
    for path, number, line in tree.lines(CPP):
        if "#include <yaml-cpp" in line and path.as_posix() != "experiments/yaml.cpp":
            yield Error(path, number, "yaml-cpp outside experiments/yaml.cpp (read Trees instead)")


def boost_stays_out_of_headers(tree):
    for path, number, line in tree.lines(HEADERS):
        if "#include <boost/" in line and path.parts[0] != "tests":
            yield Error(path, number, "Boost in a header (include it in the .cpp)")


def no_using_namespace_std(tree):
    for path, number, line in tree.lines(CPP):
        if re.match(r"\s*using\s+namespace\s+std\b", line):
            yield Error(path, number, "using namespace std")


def nothing_left_to_do(tree):
    later = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
    for path, number, line in tree.lines(TEXT):
        found = later.search(line)
        if found:
            yield Error(path, number, f"{found[1]} (do it, or open an issue)")


def every_variant_has_a_row(tree):
    for path, text in tree.texts.items():
        folder = path.parent.as_posix()
        table = tree.texts.get(pathlib.PurePath(TABLES.get(folder, "")))
        if table is not None and path.suffix == ".cpp":
            for row in ROW.finditer(text):
                if f"{row[1]}()" not in table:
                    yield Error(path, text.count("\n", 0, row.start()) + 1,
                                f"'{row[1]}' has no row in {TABLES[folder]}")
            if not ROW.search(text) and path.as_posix() != TABLES[folder]:
                yield Error(path, 1, f"no variant for a row of {TABLES[folder]}")
        table = tree.texts.get(pathlib.PurePath(INCLUDED.get(folder, "")))
        if table is not None and path.suffix == ".hpp" and path.name not in NOT_VARIANTS:
            if f'#include "{path.as_posix()}"' not in table:
                yield Error(path, 1, f"no row in {INCLUDED[folder]}")


def every_header_is_used(tree):
    included = set()
    for _, _, line in tree.lines(CPP | {".cmake"}):
        found = re.match(r'\s*#\s*include "([^"]+)"', line)
        if found:
            included.add(found[1])
    for path in tree.texts:
        if path.suffix in HEADERS and path.as_posix() not in included and path.name not in included:
            yield Error(path, 1, "nobody includes this header")


def no_file_is_another_file(tree):
    first = {}
    for path, text in tree.texts.items():
        if path.suffix in CPP and text:
            same = first.setdefault(text, path)
            if same != path:
                yield Error(path, 1, f"the same text as {same.as_posix()}")


RULES = [
    includes_follow_the_arrows, names_say_what_is_inside, headers_open_with_what_they_are,
    lines_fit_the_page, files_stay_short, no_trailing_space, files_end_with_a_newline,
    only_one_door_to_yaml_cpp, boost_stays_out_of_headers, no_using_namespace_std,
    nothing_left_to_do, every_variant_has_a_row, every_header_is_used, no_file_is_another_file,
]


def errors_of(root):
    """Every breach of every rule below `root`, as lines `file:line: error: text`."""
    tree = Tree(root)
    errors = sorted(error for rule in RULES for error in rule(tree))
    return [f"{error.path.as_posix()}:{error.line}: error: {error.text}" for error in errors]
