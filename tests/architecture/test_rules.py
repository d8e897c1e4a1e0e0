"""Each rule finds what it forbids, at its place, and leaves a clean tree alone."""
import pathlib
import tempfile
import unittest

import cpp_text
import rules

HEADER = "/// \\file\n/// A thing.\n#pragma once\n"
USER = '#include "experiments/language/thing.hpp"\n'
CLEAN = {
    "experiments/language/thing.hpp": HEADER,
    "experiments/language/thing.cpp": USER,
    "training/strategies/policies/update_policy.cpp": "const int kTable = {sync_policy()};\n",
    "training/strategies/policies/sync.cpp": "Variant<UpdatePolicy> sync_policy() {\n}\n",
    "training/workload/stragglers/straggler_table.cpp": '#include "training/workload/stragglers/gamma.hpp"\n',
    "training/workload/stragglers/gamma.hpp": HEADER + "// G\n",
    "scripts/prose.cpp": "// whose: a folder without the rule\n",
    "models/prose.cpp": 'const char* what = "so many // who asked?";  // whole\n',
}

# What is added to the clean tree, and the one error it must bring.
BAD = {
    "an arrow against the grain": (
        {"sim/a.cpp": 'int a;\n#include "exec/b.cpp"\n'},
        "sim/a.cpp:2: error: sim/ includes 'exec/b.cpp' "
        "(it may include only: sim, experiments/language, training, sim/costs, sim/ahead, sim/devices, sim/lanes, sim/ideal)"),
    "the language knows nothing above it": (
        {"experiments/language/a.cpp": '#include "models/network.hpp"\n'},
        "experiments/language/a.cpp:1: error: experiments/language/ includes 'models/network.hpp' "
        "(it may include only: experiments/language)"),
    "an execution never looks at costs": (
        {"exec/host/a.cpp": '#include "sim/costs/costs.hpp"\n'},
        "exec/host/a.cpp:1: error: exec/host/ includes 'sim/costs/costs.hpp' "
        "(it may include only: exec/host, experiments/language, training, exec/machine)"),
    "an arrow inside training, against the grain": (
        {"training/runtime/a.cpp": '#include "training/strategies/plan.hpp"\n'},
        "training/runtime/a.cpp:1: error: training/runtime/ includes 'training/strategies/plan.hpp' "
        "(it may include only: training/runtime, experiments/language)"),
    "a source outside all rooms": (
        {"training/a.cpp": "int a;\n"},
        "training/a.cpp:1: error: in no room (docs/architecture.md lists them)"),
    "models do not know machines": (
        {"models/a.cpp": '#include "topology/machine.hpp"\n'},
        "models/a.cpp:1: error: models/ includes 'topology/machine.hpp' "
        "(it may include only: models, experiments/language)"),
    "an include that is not written from the root": (
        {"sim/a.cpp": '#include "b.hpp"\n'},
        "sim/a.cpp:1: error: sim/ includes 'b.hpp' "
        "(it may include only: sim, experiments/language, training, sim/costs, sim/ahead, sim/devices, sim/lanes, sim/ideal)"),
    "a vague name": (
        {"plots/draw_utils.py": "a = 1\n"},
        "plots/draw_utils.py:1: error: 'draw_utils.py' says nothing "
        "(avoid 'utils': name the concept)"),
    "a header without an opening": (
        {"experiments/language/thing.hpp": "#pragma once\n"},
        "experiments/language/thing.hpp:1: error: a header opens with '/// \\file' and what it is"),
    "a header without a guard": (
        {"experiments/language/thing.hpp": "/// \\file\n/// A thing.\n"},
        "experiments/language/thing.hpp:1: error: a header needs '#pragma once'"),
    "a long line": (
        {"sim/a.cpp": "\n//" + "x" * 99 + "\n"}, "sim/a.cpp:2: error: 101 columns (at most 100)"),
    "a long file": (
        {"sim/a.cpp": "//\n" * 350},
        "sim/a.cpp:350: error: 350 lines (fewer than 350: one file, one concept)"),
    "a person in a comment": (
        {"models/a.cpp": "int a;  // a layer whose input is open\n"},
        "models/a.cpp:1: error: 'whose' in a comment (only people are a 'who': name the thing)"),
    "a thread that is nobody": (
        {"topology/a.cpp": "/// A port.\n/*! Nobody\n   listens. */\nint a;\n"},
        "topology/a.cpp:2: error: 'Nobody' in a comment (threads and processes are not people)"),
    "a program that talks": (
        {"models/a.cpp": "// It asks for memory.\n"},
        "models/a.cpp:1: error: 'asks' in a comment (programs do not talk: returns, reports, requires)"),
    "likewise": (
        {"experiments/language/a.cpp": "int a;  ///< likewise\n"},
        "experiments/language/a.cpp:1: error: 'likewise' in a comment (repeat what holds)"),
    "a phrase over two lines": (
        {"models/a.cpp": "// A unit takes so\n// many bytes.\n"},
        "models/a.cpp:2: error: 'so many' in a comment (give the number a name)"),
    "a thing without a name": (
        {"models/a.cpp": "// Says what it is.\n"},
        "models/a.cpp:1: error: 'what it is' in a comment (use the noun)"),
    "a sentence without a noun": (
        {"models/a.cpp": "// A unit. What follows is a layer.\n"},
        "models/a.cpp:1: error: 'What' in a comment (a sentence that opens with 'What' has lost its "
        "noun)"),
    "a trailing space": ({"scripts/go": "true \n"}, "scripts/go:1: error: trailing space"),
    "no newline at the end": (
        {"sim/a.cpp": "int a;"}, "sim/a.cpp:1: error: a file ends with exactly one newline"),
    "yaml-cpp elsewhere": (
        {"models/a.cpp": "#include <yaml-cpp/yaml.h>\n"},
        "models/a.cpp:1: error: yaml-cpp outside experiments/language/yaml.cpp (read Trees instead)"),
    "Boost in a header": (
        {"experiments/language/thing.hpp": HEADER + "#include <boost/graph/a.hpp>\n"},
        "experiments/language/thing.hpp:4: error: Boost in a header (include it in the .cpp)"),
    "all of std": (
        {"cli/a.cpp": "using namespace std;\n"}, "cli/a.cpp:1: error: using namespace std"),
    "work put off": (
        {"cli/a.cpp": "// TO" + "DO: later\n"},
        "cli/a.cpp:1: error: TO" + "DO (do it, or open an issue)"),
    "a variant without a row": (
        {"training/strategies/policies/ssp.cpp": "\nVariant<UpdatePolicy> ssp_policy() {\n}\n"},
        "training/strategies/policies/ssp.cpp:2: error: 'ssp_policy' has no row in "
        "training/strategies/policies/update_policy.cpp"),
    "a file of a family that is no variant": (
        {"training/strategies/policies/ssp.cpp": "int a;\n"},
        "training/strategies/policies/ssp.cpp:1: error: no variant for a row of "
        "training/strategies/policies/update_policy.cpp"),
    "a header without a row": (
        {"training/workload/stragglers/weibull.hpp": HEADER + "// B\n",
         "training/workload/a.cpp": '#include "training/workload/stragglers/weibull.hpp"\n'},
        "training/workload/stragglers/weibull.hpp:1: error: no row in "
        "training/workload/stragglers/straggler_table.cpp"),
    "a header that nobody includes": (
        {"sim/dead.hpp": HEADER + "// D\n"}, "sim/dead.hpp:1: error: nobody includes this header"),
    "a copied file": (
        {"sim/a.cpp": "int same;\n", "sim/b.cpp": "int same;\n"},
        "sim/b.cpp:1: error: the same text as sim/a.cpp"),
}


def errors_in(files):
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        return rules.errors_of(root)


def write(root, files):
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Rules(unittest.TestCase):
    def test_a_clean_tree_has_no_errors(self):
        self.assertEqual(errors_in(CLEAN), [])

    def test_each_breach_is_found_at_its_place(self):
        for what, (files, error) in BAD.items():
            with self.subTest(what):
                self.assertEqual(errors_in({**CLEAN, **files}), [error])

    def test_long_functions_and_files_are_found(self):
        body = "  a();\n" * 58
        files = {
            "sim/a.cpp": "void short_enough() {\n" + "  a();\n" * 57 + "}\n",
            "sim/b.cpp": "namespace {\nstruct B {\n  B()\n      : b{1} {\n" + body + "  }\n};\n}\n",
            "sim/c.cpp": "//\n" * 351,
        }
        with tempfile.TemporaryDirectory() as root:
            write(root, files)
            found = sorted(rules.files_and_functions_stay_short(rules.Tree(root)))
        self.assertEqual([(error.path.name, error.line, error.text) for error in found], [
            ("b.cpp", 3, "'B' has 61 lines (fewer than 60: name its parts)"),
            ("c.cpp", 350, "351 lines (fewer than 350: one file, one concept)")])


class Functions(unittest.TestCase):
    def functions(self, text):
        return [tuple(function) for function in cpp_text.functions_of(text)]

    def test_free_functions_methods_and_tests(self):
        self.assertEqual(self.functions(
            "template <class T, int N = (1 > 0)>\nstruct A : B<T> {\n  int b() const { return 1; }\n"
            "  int c{2};\n};\nTEST(Suite, Name) {\n  if (x) {\n    y();\n  }\n}\n"),
            [("b", 3, 3), ("Suite.Name", 6, 10)])

    def test_initial_values_are_no_functions(self):
        self.assertEqual(self.functions(
            "const std::array<Row, 2> kRows{{\n  {1, f(2)},\n}};\n"
            "const auto g = [](int a) {\n  return a;\n};\nvoid h(const A& a = {}) {\n}\n"),
            [("h", 7, 8)])

    def test_members_with_initial_values_belong_to_the_constructor(self):
        self.assertEqual(self.functions(
            "A::A(int a)\n    : a_{a},\n      b_({1}, 2),\n      c_{3} {\n  d();\n}\nint e() {\n}\n"),
            [("A", 1, 6), ("e", 7, 8)])

    def test_braces_in_text_comments_and_directives_do_not_count(self):
        self.assertEqual(self.functions(
            '#define OPEN {\nvoid a() {  // }\n  b("}", \'}\', R"x(}")x", 1\'000);\n  /* } */\n}\n'),
            [("a", 2, 5)])


if __name__ == "__main__":
    unittest.main()
