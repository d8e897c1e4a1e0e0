"""Every experiment of the repository is valid by experiments/schema.json, as an editor checks it.
Needs PyYAML and jsonschema, which nothing else does."""
import json
import pathlib
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = None

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"


@unittest.skipUnless(jsonschema, "PyYAML or jsonschema is not installed")
class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((EXPERIMENTS / "schema.json").read_text(encoding="utf-8"))
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_accepts_every_experiment(self):
        for file in sorted(EXPERIMENTS.rglob("*.yaml")):
            if file.name == "profile.yaml":  # of a computer
                continue
            with self.subTest(file=str(file.relative_to(EXPERIMENTS))):
                document = yaml.safe_load(file.read_text(encoding="utf-8"))
                self.assertEqual([error.message for error in
                                  self.validator.iter_errors(document)], [])

    def test_refuses_an_unknown_key(self):
        self.assertFalse(self.validator.is_valid({"name": "t", "model": "vgg16", "wrkers": 2}))


if __name__ == "__main__":
    unittest.main()
