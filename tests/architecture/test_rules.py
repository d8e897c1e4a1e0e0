"""Each rule finds what it forbids, at its place, and leaves a clean tree alone."""
import pathlib
import tempfile
import unittest

import rules

HEADER = "/// \\file\n/// A thing.\n#pragma once\n"
USER = '#include "experiments/thing.hpp"\n'
CLEAN = {
    "experiments/thing.hpp": HEADER,
    "experiments/thing.cpp": USER,
    "training/policies/update_policy.cpp": "const int kTable = {sync_policy()};\n",
    "training/policies/sync.cpp": "Variant<UpdatePolicy> sync_policy() {\n}\n",
    "training/stragglers/straggler_table.cpp": '#include "training/stragglers/gamma.hpp"\n',
    "training/stragglers/gamma.hpp": HEADER + "// G\n",
}

# What is added to the clean tree, and the one error it must bring.
BAD = {
    "an arrow against the grain": (
        {"sim/a.cpp": 'int a;\n#include "exec/b.cpp"\n'},
        "sim/a.cpp:2: error: sim/ includes 'exec/b.cpp' "
        "(it may include only: experiments, topology, models, training, sim)"),
    "experiments know nobody": (
        {"experiments/a.cpp": '#include "models/network.hpp"\n'},
        "experiments/a.cpp:1: error: experiments/ includes 'models/network.hpp' "
        "(it may include only: experiments)"),
    "models do not know machines": (
        {"models/a.cpp": '#include "topology/machine.hpp"\n'},
        "models/a.cpp:1: error: models/ includes 'topology/machine.hpp' "
        "(it may include only: experiments, models)"),
    "an include that is not written from the root": (
        {"sim/a.cpp": '#include "b.hpp"\n'},
        "sim/a.cpp:1: error: sim/ includes 'b.hpp' "
        "(it may include only: experiments, topology, models, training, sim)"),
    "a vague name": (
        {"plots/draw_utils.py": "a = 1\n"},
        "plots/draw_utils.py:1: error: 'draw_utils.py' says nothing "
        "(avoid 'utils': name the concept)"),
    "a header without an opening": (
        {"experiments/thing.hpp": "#pragma once\n"},
        "experiments/thing.hpp:1: error: a header opens with '/// \\file' and what it is"),
    "a header without a guard": (
        {"experiments/thing.hpp": "/// \\file\n/// A thing.\n"},
        "experiments/thing.hpp:1: error: a header needs '#pragma once'"),
    "a long line": (
        {"sim/a.cpp": "\n//" + "x" * 99 + "\n"}, "sim/a.cpp:2: error: 101 columns (at most 100)"),
    "a long file": (
        {"sim/a.cpp": "//\n" * 451},
        "sim/a.cpp:451: error: 451 lines (at most 450: one file, one concept)"),
    "a trailing space": ({"scripts/go": "true \n"}, "scripts/go:1: error: trailing space"),
    "no newline at the end": (
        {"sim/a.cpp": "int a;"}, "sim/a.cpp:1: error: a file ends with exactly one newline"),
    "yaml-cpp elsewhere": (
        {"models/a.cpp": "#include <yaml-cpp/yaml.h>\n"},
        "models/a.cpp:1: error: yaml-cpp outside experiments/yaml.cpp (read Trees instead)"),
    "Boost in a header": (
        {"experiments/thing.hpp": HEADER + "#include <boost/graph/a.hpp>\n"},
        "experiments/thing.hpp:4: error: Boost in a header (include it in the .cpp)"),
    "all of std": (
        {"cli/a.cpp": "using namespace std;\n"}, "cli/a.cpp:1: error: using namespace std"),
    "work put off": (
        {"cli/a.cpp": "// TO" + "DO: later\n"},
        "cli/a.cpp:1: error: TO" + "DO (do it, or open an issue)"),
    "a variant without a row": (
        {"training/policies/ssp.cpp": "\nVariant<UpdatePolicy> ssp_policy() {\n}\n"},
        "training/policies/ssp.cpp:2: error: 'ssp_policy' has no row in "
        "training/policies/update_policy.cpp"),
    "a file of a family that is no variant": (
        {"training/policies/ssp.cpp": "int a;\n"},
        "training/policies/ssp.cpp:1: error: no variant for a row of "
        "training/policies/update_policy.cpp"),
    "a header without a row": (
        {"training/stragglers/weibull.hpp": HEADER + "// B\n",
         "training/a.cpp": '#include "training/stragglers/weibull.hpp"\n'},
        "training/stragglers/weibull.hpp:1: error: no row in "
        "training/stragglers/straggler_table.cpp"),
    "a header that nobody includes": (
        {"sim/dead.hpp": HEADER + "// D\n"}, "sim/dead.hpp:1: error: nobody includes this header"),
    "a copied file": (
        {"sim/a.cpp": "int same;\n", "sim/b.cpp": "int same;\n"},
        "sim/b.cpp:1: error: the same text as sim/a.cpp"),
}


def errors_in(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return rules.errors_of(root)


class Rules(unittest.TestCase):
    def test_a_clean_tree_has_no_errors(self):
        self.assertEqual(errors_in(CLEAN), [])

    def test_each_breach_is_found_at_its_place(self):
        for what, (files, error) in BAD.items():
            with self.subTest(what):
                self.assertEqual(errors_in({**CLEAN, **files}), [error])


if __name__ == "__main__":
    unittest.main()
