"""The error messages in the sources, with `...` in place of what varies.

A message is an expression whose text reaches a user: the argument of `throw`, of `.error(...)` and
of `fail(...)`, what is written to `err`, what a function whose name matches REASONS returns, and
what is assigned to a variable of PROBLEMS. Literals are joined, every other operand is `...`, and
`a ? "b" : "c"` gives one message for each branch.
"""
import ast
import collections
import itertools
import pathlib
import re

Message = collections.namedtuple("Message", "text path line")

FOLDERS = ["cli", "exec", "experiments", "models", "sim", "topology", "training"]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
# What a programmer is told of a broken contract, and what is caught before it reaches anyone.
INTERNAL = {"std::invalid_argument", "std::out_of_range", "std::logic_error", "std::length_error",
            "std::bad_alloc", "Diverged", "NeedsEvents", "ClockEnd"}
SINK = re.compile(r"\bthrow\s+([A-Za-z_:]+)\s*[({]|\b(?:error|fail|stop|lose)\(")
# Functions that say why something is refused ("" when nothing is); their caller passes it on.
REASONS = re.compile(r"\b(invalid|unfit\w*|un\w+able\w*|unsupported|indivisible|wrong_with\w*|too_\w+|"
                     r"\w*problem\w*|shortened_load_error|not_\w+|lack\w+|absence\w*|loss_of|"
                     r"\w+_hint|in_plain_words|why_\w+|refus\w+|unknown_\w+)\(")
PROBLEMS = re.compile(r"\b(?:problem_?|why|wrong|refusal|status)\s*=(?!=)")
TOKEN = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|'
                   r"//[^\n]*|/\*(?:.|\n)*?\*/")
LITERAL = re.compile(r'^"(?:\\.|[^"\\])*"$')
WRAPPED = re.compile(r"(?:std::string(?:_view)?|std::move)?\s*[({](.*)[)}]$", re.DOTALL)
OPENING = re.compile(r"\s*(?:const\s*|override\s*|final\s*|noexcept\s*)*\{")  # of a body
ALTERNATIVES = 8  # an expression with more branches than this is one message with `...`


def without_comments(text):
    """`text` with comments blanked, every character at its place."""
    def blank(match):
        found = match[0]
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found
    return TOKEN.sub(blank, text)


def closing(text, start):
    """The index after the bracket that closes the one at `start`."""
    depth, i = 0, start
    while i < len(text):
        token = TOKEN.match(text, i)
        if token:
            i = token.end()
            continue
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            return i
    return i


def split(text, separator):
    """`text` split at `separator` where no bracket or literal is open."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(text):
        token = TOKEN.match(text, i)
        if token:
            i = token.end()
            continue
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if depth == 0 and text[i] == separator and text[i:i + 2] not in ("++", "+=", "::", "?:"):
            if not (separator == ":" and text[i - 1] == ":"):
                parts.append(text[begin:i])
                begin = i + 1
        i += 1
    return parts + [text[begin:]]


def unescaped(literal):
    return ast.literal_eval(literal.replace("\\?", "?"))


def texts(expression):
    """The messages that a C++ expression can give."""
    expression = expression.strip()
    question = split(expression, "?")
    if len(question) > 1:
        branches = split("?".join(question[1:]), ":")
        if len(branches) == 2:
            return texts(branches[0]) + texts(branches[1])
        return ["..."]
    parts = split(expression, "+")
    if len(parts) > 1:
        branches = [texts(part) for part in parts]
        count = 1
        for branch in branches:
            count *= len(branch)
        if count > ALTERNATIVES:
            branches = [b if len(b) == 1 else ["..."] for b in branches]
        return ["".join(chosen) for chosen in itertools.product(*branches)]
    wrapped = WRAPPED.match(expression)
    if wrapped and closing(expression, expression.index(wrapped[1]) - 1) == len(expression):
        return texts(wrapped[1])
    literals = [unescaped(token[0]) for token in TOKEN.finditer(expression)
                if LITERAL.match(token[0])]
    if literals and not TOKEN.sub("", expression).strip():
        return ["".join(literals)]
    call = re.match(r"(quote|unknown_name|with_article)\(", expression)
    if call:
        arguments = split(expression[call.end():-1], ",")
        if call[1] == "quote":
            return ["'...'"]
        if call[1] == "unknown_name":
            return [f"unknown {what} '...' (...)" for what in texts(arguments[0])]
        return [f"a {noun}" for noun in texts(arguments[0])]
    return ["..."]


def tidy(text):
    """Blanks and runs of `...` made one; the line's own place and `error:` cut off."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"^(?:\.\.\.:? ?)?(?:paceline: )?error: ", "", text)
    text = re.sub(r"(?:\.\.\.[ ,]*)+\.\.\.", "...", text)
    return re.sub(r"\.{4,}", "...", text)


def says_something(text):
    """Whether there are two words, or `unknown`, so that a reader could look for them."""
    return len(re.findall(r"[A-Za-z]{2,}", text)) > 1 or text.startswith("unknown ")


def statement(text, start):
    """The text from `start` to the `;` that ends the statement."""
    return split(text[start:start + 2000], ";")[0]


def bodies(text):
    """(where it begins, text) of the body of every function that matches REASONS."""
    for name in REASONS.finditer(text):
        end = closing(text, name.end() - 1)
        opening = OPENING.match(text, end)
        if opening:
            yield opening.end(), text[opening.end() - 1:closing(text, opening.end() - 1)]


def of_sinks(text):
    """(place, expression) of what is thrown, noted or failed with."""
    for sink in SINK.finditer(text):
        if sink[1] in INTERNAL:
            continue
        opening = sink.end() - 1
        before = text[text.rfind("\n", 0, sink.start()) + 1:sink.start()]  # of the same line
        inside = text[opening + 1:closing(text, opening) - 1]
        if re.search(r"\b(?:void|noreturn\]\])\s*$", before) or re.match(r"\s*const\s", inside):
            continue  # a declaration
        for argument in split(inside, ","):
            yield sink.start(), argument


def of_reasons(text):
    """(place, expression) of what explains a refusal, or is printed as one."""
    for begin, body in bodies(text):
        for found in re.finditer(r"\breturn\b", body):
            yield begin + found.start(), statement(body, found.end())
        for found in re.finditer(r'\{"[^"]*", ("[^"]*")\},', body):  # rows: their words, ours
            yield begin + found.start(), found[1]
    for found in re.finditer(r"\breturn\b(?=[^;]* must be )", text):  # bounds of a key
        yield found.start(), statement(text, found.end())
    for found in PROBLEMS.finditer(text):
        yield found.start(), statement(text, found.end())
    for found in re.finditer(r"\berr\s*<<", text):
        yield found.start(), re.sub(r"\s<<\s", " + ", statement(text, found.end()))


def of_cpp(text, path):
    """The messages of one C++ source."""
    text = without_comments(text)
    for place, expression in itertools.chain(of_sinks(text), of_reasons(text)):
        line = text.count("\n", 0, place) + 1
        for spoken in map(tidy, texts(expression)):
            if says_something(spoken):
                yield Message(spoken, path, line)


PYTHON_ERRORS = ("BadInput", "Error", "NoSuchFigure")


def of_python(text, path):
    """The messages of one Python source: the second argument of BadInput, and the first of an
    Error behind its place."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in PYTHON_ERRORS:
            spoken = (text_of(node.args[1]) if node.func.id == "BadInput" else
                      text_of(node.args[0]).rpartition(": error: ")[2])
            message = Message(tidy(spoken), path, node.lineno)
            if says_something(message.text):
                yield message


def text_of(node):
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value) for value in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return "..."


def of_tree(root):
    """Every message below the root of the sources, by its text; each with its places."""
    found = collections.defaultdict(list)
    for folder in [*FOLDERS, "plots"]:
        for file in sorted((pathlib.Path(root) / folder).rglob("*")):
            path = file.relative_to(root)
            read = of_python if file.suffix == ".py" else of_cpp
            if file.suffix not in SUFFIXES and not (folder == "plots" and file.suffix == ".py"):
                continue
            for message in read(file.read_text(encoding="utf-8"), path):
                found[message.text].append(f"{path}:{message.line}")
    return dict(found)
