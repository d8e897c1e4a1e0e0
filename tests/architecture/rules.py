"""The rules of the source tree. A rule takes a Tree and yields an Error for each place that breaks it."""
import collections
import pathlib
import re

import cpp_text

Error = collections.namedtuple("Error", "path line text")

# Who may include whom: the architecture. A room is a folder; a file belongs to the room with the
# longest path. Rooms stand below those that may include them, so there can be no cycle.
MAY_INCLUDE = {
    "experiments/language": [],
    "topology": ["experiments/language"],
    "models": ["experiments/language"],
    "training/runtime": ["experiments/language"],
    "training/workload": ["experiments/language", "topology", "models", "training/runtime"],
    "training/theory": ["experiments/language", "training/workload"],
    "training/strategies": ["experiments/language", "models", "training/runtime", "training/workload",
                            "training/theory"],
    "training/learning": ["experiments/language", "models", "training/runtime", "training/workload"],
    "training/results": ["experiments/language", "topology", "models", "training/runtime",
                         "training/workload"],
    "training/profile": ["experiments/language", "topology", "models", "training/workload"],
    "training/experiment": ["experiments/language", "topology", "models", "training/runtime",
                            "training/workload", "training/theory", "training/strategies",
                            "training/learning", "training/results", "training/profile"],
    "sim/network": [],
    "sim/engine": ["training/runtime"],
    "sim/costs": ["experiments/language", "topology", "models", "training"],
    "sim/nccl": ["topology", "training", "sim/costs"],
    "sim/ahead": ["training", "sim/network"],
    "sim/devices": ["topology", "training", "sim/network", "sim/engine", "sim/costs", "sim/nccl",
                    "sim/ahead"],
    "sim/lanes": ["experiments/language", "topology", "training", "sim/costs", "sim/network",
                  "sim/devices", "sim/ahead"],
    "sim/ideal": ["topology", "training", "sim/engine", "sim/costs", "sim/devices"],
    "sim": ["experiments/language", "training", "sim/costs", "sim/ahead", "sim/devices",
            "sim/lanes", "sim/ideal"],
    "exec/mpi": [],
    "exec/machine": ["experiments/language", "training"],
    "exec/host": ["experiments/language", "training", "exec/machine"],
    "exec/processes": ["experiments/language", "training", "exec/machine", "exec/host", "exec/mpi"],
    "exec/calibrate": ["experiments/language", "topology", "models", "training", "exec/machine",
                       "exec/host", "exec/processes"],
    "exec/plugin": ["experiments/language", "training", "exec/machine", "exec/calibrate"],
    "exec/cuda": ["experiments/language", "topology", "models", "training", "exec/machine",
                  "exec/host", "exec/processes", "exec/calibrate", "exec/plugin"],
    "cli": ["experiments/language", "topology", "models", "training", "sim", "exec"],
}
FOLDERS = ["experiments", "topology", "models", "training", "sim", "exec", "cli", "plots", "tests",
           "cmake", "scripts"]
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
HEADERS = {".hpp", ".cuh"}
TEXT = CPP | {".py", ".cmake", ".txt", ".sh", ""}
VAGUE_NAMES = {"utils", "util", "common", "base", "manager", "helper", "helpers"}
COLUMNS = 100
LINES = 350           # a file is shorter
FUNCTION_LINES = 60   # a function is shorter

# Folders with comments in plain English, and patterns of prose to rephrase, with the reason.
PLAIN = ["experiments", "topology", "models", "training", "sim", "exec", "cli", "tests"]
NOT_PLAIN = {
    r"\b(?:[Ww]ho|[Ww]hom|[Ww]hose|[Ww]hoever)\b": "only people are a 'who': name the thing",
    r"\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b": "threads and processes are not people",
    r"\b(?:[Tt]ells?|[Tt]old|[Aa]sk(?:s|ed)?)\b": "programs do not talk: returns, reports, requires",
    r"\b[Ll]ikewise\b": "repeat what holds",
    r"\b[Ss]o\smany\b": "give the number a name",
    r"\b[Ww]hat\sit\sis\b": "use the noun",
    r"(?:^|[.:;]\s)What\b": "a sentence that opens with 'What' has lost its noun",
}

# Families: every .cpp of the folder defines a row that the table names.
TABLES = {
    "training/strategies/policies": "training/strategies/policies/update_policy.cpp",
    "training/strategies/aggregations": "training/strategies/aggregations/aggregation.cpp",
}
ROW = re.compile(r"^Variant<\w+> (\w+)\(\) \{", re.MULTILINE)
# Families whose rows are made of types: the table includes a header for each variant.
INCLUDED = {
    "training/workload/stragglers": "training/workload/stragglers/straggler_table.cpp",
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


def room_of(path):
    """The room that a path, a string, belongs to; None outside all rooms."""
    rooms = [room for room in MAY_INCLUDE if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def may_include(room, path):
    """A room may include itself, and of what is listed for it whole folders."""
    return room_of(path) == room or any(path.startswith(one + "/") for one in MAY_INCLUDE[room])


def includes_follow_the_arrows(tree):
    for path, number, line in tree.lines(CPP):
        found = re.match(r'\s*#\s*include "([^"]+)"', line)
        room = room_of(path.as_posix())
        if found and room and not may_include(room, found[1]):
            yield Error(path, number, f"{room}/ includes '{found[1]}' "
                                      f"(it may include only: {', '.join([room, *MAY_INCLUDE[room]])})")


def every_source_is_in_a_room(tree):
    for path in tree.texts:
        if path.suffix in CPP and path.parts[0] not in ("tests", "cmake", "plots", "scripts"):
            if room_of(path.as_posix()) is None:
                yield Error(path, 1, "in no room (docs/architecture.md lists them)")


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


def files_and_functions_stay_short(tree):
    for path, text in tree.texts.items():
        if path.suffix not in CPP:
            continue
        count = text.count("\n")
        if count >= LINES:
            yield Error(path, LINES, f"{count} lines (fewer than {LINES}: one file, one concept)")
        for function in cpp_text.functions_of(text):
            length = function.last - function.first + 1
            if length >= FUNCTION_LINES:
                yield Error(path, function.first, f"'{function.name}' has {length} lines (fewer than "
                                                  f"{FUNCTION_LINES}: name its parts)")


def comments_are_plain_english(tree):
    for path, text in tree.texts.items():
        plain = any(path.is_relative_to(folder) for folder in PLAIN)
        for comment in _paragraphs(text) if plain and path.suffix in CPP else ():
            words = "\n".join(line.text for line in comment)
            for pattern, why in NOT_PLAIN.items():
                for found in re.finditer(pattern, words, re.MULTILINE):
                    phrase = " ".join(found[0].strip(".:;").split())
                    line = comment[words.count("\n", 0, found.end())].line
                    yield Error(path, line, f"'{phrase}' in a comment ({why})")


def _paragraphs(text):
    """The comments of a file as lists of adjacent lines: a phrase may go on in the next line."""
    paragraphs = []
    for line in cpp_text.comments_of(text):
        if paragraphs and paragraphs[-1][-1].line == line.line - 1:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


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
        if "#include <yaml-cpp" in line and path.as_posix() != "experiments/language/yaml.cpp":
            yield Error(path, number, "yaml-cpp outside experiments/language/yaml.cpp (read Trees instead)")


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
    includes_follow_the_arrows, every_source_is_in_a_room, names_say_what_is_inside,
    headers_open_with_what_they_are, lines_fit_the_page, files_and_functions_stay_short,
    comments_are_plain_english, no_trailing_space, files_end_with_a_newline,
    only_one_door_to_yaml_cpp, boost_stays_out_of_headers, no_using_namespace_std,
    nothing_left_to_do, every_variant_has_a_row, every_header_is_used, no_file_is_another_file,
]


def errors_of(root):
    """Every breach of every rule below `root`, as lines `file:line: error: text`."""
    tree = Tree(root)
    errors = sorted(error for rule in RULES for error in rule(tree))
    return [f"{error.path.as_posix()}:{error.line}: error: {error.text}" for error in errors]
