"""Tests as records: inputs, observations, blame, and the folder in which they are stored."""

from symexec.testcases.command_text import c_call, c_value, rendered, shell_command
from symexec.testcases.inputs import (
    LongDouble,
    Scalar,
    TestInput,
    Value,
    decode,
    input_from_json,
    input_to_json,
)
from symexec.testcases.signature import (
    EntrySignature,
    Parameter,
    Step,
    called_with,
    differing_part,
    parameter_of,
    signature_of,
)
from symexec.testcases.store import OutputFolder, load_tests
from symexec.testcases.testcase import (
    MASKED,
    Blame,
    DifferenceKind,
    Divergence,
    Observation,
    Observed,
    TestCase,
    from_json,
    observation_from_json,
    observation_to_json,
    to_json,
)

__all__ = [
    "MASKED",
    "Blame",
    "DifferenceKind",
    "Divergence",
    "EntrySignature",
    "LongDouble",
    "Observation",
    "Observed",
    "OutputFolder",
    "Parameter",
    "Scalar",
    "Step",
    "TestCase",
    "TestInput",
    "Value",
    "c_call",
    "c_value",
    "called_with",
    "decode",
    "differing_part",
    "from_json",
    "input_from_json",
    "input_to_json",
    "load_tests",
    "observation_from_json",
    "observation_to_json",
    "parameter_of",
    "rendered",
    "shell_command",
    "signature_of",
    "to_json",
]
