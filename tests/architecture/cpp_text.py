"""The comments and the functions of a C++ file, found without a compiler. Expects formatted code."""
import bisect
import collections
import re

Comment = collections.namedtuple("Comment", "line text")
Function = collections.namedtuple("Function", "name first last")  # the lines of its head and its end

_TOKEN = re.compile(r"""(?=[/R"'])(?:
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<separator>(?<=[0-9A-Fa-f])'(?=[0-9A-Fa-f]))
  | (?P<character>'(?:\\.|[^'\\\n])+'))""", re.VERBOSE | re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
_MARK = re.compile(r"[({;]")
_TEST = re.compile(r"TEST\w*\((\w+),\s*(\w+)\)")


def comments_of(text):
    """The text of each line of each comment, without the comment's marks."""
    found, line_of = [], _line_of(text)
    for token in _TOKEN.finditer(text):
        if token["comment"]:
            line = line_of(token.start())
            for place, part in enumerate(token["comment"].split("\n")):
                part = re.sub(r"^\s*(//[/!<]*|/?\*+)?\s*", "", part)
                found.append(Comment(line + place, re.sub(r"\s*(\*/)?$", "", part)))
    return found


def functions_of(text):
    """The functions defined in the file, its namespaces and its types; lambdas are parts of them."""
    code, functions, line_of = _blanked(text), [], _line_of(text)
    _read_scope(code, _pairs(code), 0, len(code), functions)
    return [Function(name, line_of(begin), line_of(end)) for name, begin, end in functions]


def _line_of(text):
    """The function from a position in the text to its line."""
    begins = [found.end() for found in re.finditer("\n", text)]
    return lambda place: bisect.bisect_right(begins, place) + 1


def _blanked(text):
    """The text with blanks in place of comments, strings and directives."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return _DIRECTIVE.sub(blank, _TOKEN.sub(blank, text))


def _pairs(code):
    """Position of each opening brace or parenthesis -> position of the closing one."""
    pairs, opened = {}, []
    for found in re.finditer(r"[(){}]", code):
        if found[0] in "({":
            opened.append(found.start())
        elif opened:
            pairs[opened.pop()] = found.start()
    return pairs


def _read_scope(code, pairs, place, end, functions):
    """Adds (name, begin, end) of the functions between two positions."""
    begin = place
    while found := _MARK.search(code, place, end):
        place = found.start()
        if found[0] == "(":
            place = pairs.get(place, end)
        elif found[0] == ";":
            begin = place + 1
        else:
            head, close = code[begin:place], pairs.get(place, end)
            if _is_scope(head):
                _read_scope(code, pairs, place + 1, close, functions)
                begin = close + 1
            elif _is_function(head):
                close = _end_of_body(code, pairs, close, end)
                functions.append((_name(head), begin + len(head) - len(head.lstrip()), close))
                begin = close + 1
            place = close  # other braces hold an initial value
        place += 1


def _end_of_body(code, pairs, close, end):
    """The end of a function's last brace pair: members' initial values may precede its body."""
    while close < end:
        place = close + 1
        while place < end and code[place].isspace():
            place += 1
        if place >= end or code[place] not in ",{":
            return close
        while place < end and code[place] != "{":
            place = pairs.get(place, end) + 1 if code[place] == "(" else place + 1
        close = pairs.get(place, end)
    return end


def _plain(head):
    """The head of a declaration without labels, attributes and template arguments."""
    head = re.sub(r"\b(public|private|protected)\s*:|(alignas|__launch_bounds__)\([^()]*\)|"
                  r"__attribute__\(\(.*?\)\)+", " ", head)
    head = re.sub(r"\boperator\s*[^\w\s(]+", "operator", head)
    while (shorter := re.sub(r"<[^<>]*>", " ", head)) != head:
        head = shorter
    return head


def _is_scope(head):
    plain = _plain(head)
    return "(" not in plain and _SCOPE.search(plain) is not None


def _is_function(head):
    plain = outer = _plain(head)
    while (shorter := re.sub(r"\([^()]*\)", " ", outer)) != outer:
        outer = shorter
    return "(" in plain and "=" not in outer


def _name(head):
    test = _TEST.search(head)
    found = re.search(r"(~?\w+)\s*\(", _plain(head))
    return f"{test[1]}.{test[2]}" if test else found[1] if found else "function"
