"""Count the pairs of versions by which the tests judge the verdicts, from the tests themselves.

Family("tests.test_objects", "test_a_difference_that_a_caller_sees_is_found", "objects ...", "gcc")
    ->  | objects ... | 8 | 220 | gcc |

A family is a parametrised test. Its cases without the mark ``night`` run each time.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Family:
    """``size``: the constant of the module that says how many pairs a case has; "" for one."""

    module: str
    test: str
    about: str
    truth: str
    size: str = ""


GCC = "gcc's binaries"
CALLER = "gcc, and a program that calls both versions"
ANSWERS = "gcc, and a program that gives the system's answers"
SHOWN = "gcc's binaries, with a pipe and a terminal for both"
GRID = "gcc's binaries, on every input of a grid"
BYTES = "gcc's binaries, on every byte"
DECLARATIONS = "declarations, attributes, pragmas, assembly and flags"
MADE = "by construction"
RANDOM = "tests.symexec.generated"
FAMILIES = (
    Family("tests.test_compiled_differently", "test_what_runs_can_tell_apart_is_changed",
           f"{DECLARATIONS}: is there a change?", BYTES),
    Family("tests.test_compiled_differently", "test_a_verdict_is_no_false_one",
           f"{DECLARATIONS}: the verdict", BYTES),
    Family("tests.symexec.exploration.test_padding", "test_what_depends_on_padding_is_left_out",
           "padding of the caller's objects", CALLER),
    Family("tests.symexec.exploration.test_padding", "test_copies_of_padding_are_no_difference",
           "copies of such padding, which have to be equivalent", CALLER),
    Family("tests.test_objects", "test_a_difference_that_a_caller_sees_is_found",
           "objects as callers make them: aliased, larger, tagged, freed", CALLER),
    Family("tests.symexec.runtime.test_texts_of_numbers",
           "test_numbers_print_alike_when_the_condition_says_so",
           "texts with printed numbers", "gcc's printf", "COUNT"),
    Family("tests.test_files_elsewhere", "test_a_difference_outside_of_the_working_folder",
           "files outside of the working folder", GCC),
    Family("tests.test_files_elsewhere", "test_the_same_files_in_other_words_are_equivalent",
           "the same files in other words, which have to be equivalent", GCC),
    Family("tests.test_character_sets", "test_verdicts_with_character_sets",
           "character sets of sources and programs", BYTES),
    Family("tests.test_evaluation_order", "test_versions_evaluate_as_gcc_does",
           "statements whose operands have side effects", GCC, "COUNT"),
    Family("tests.test_builtins", "test_versions_compute_as_gcc_does",
           "statements with builtins, on operands of every arithmetic type", GCC, "COUNT"),
    Family("tests.test_array_lengths", "test_lengths_are_evaluated_as_gcc_does",
           "lengths of arrays that have side effects, in one program and in two", GCC),
    Family("tests.test_array_lengths", "test_verdicts_know_what_lengths_evaluate",
           "the same lengths: the verdict", GCC),
    Family("tests.test_own_library_functions", "test_own_library_functions",
           "functions of the C library that a program defines itself", BYTES),
    Family("tests.test_folding", "test_versions_compute_as_gcc_does",
           "expressions that gcc computes while it compiles", GCC, "COUNT"),
    Family("tests.test_converted_floats", "test_versions_convert_as_gcc_does",
           "floating-point numbers that become integers, in and out of range", GCC),
    Family("tests.test_converted_floats", "test_a_verdict_knows_what_a_conversion_makes",
           "the same behind a guard: the verdict", GCC),
    Family("tests.test_unchecked_calls", "test_a_loop_for_a_call_is_no_regression",
           "calls that AddressSanitizer does not look into, and loops for them: no difference",
           MADE),
    Family("tests.symexec.inputs.test_look_ahead", "test_a_refactored_look_ahead_is_equivalent",
           "loops that look ahead in a buffer, which have to be equivalent", MADE),
    Family("tests.symexec.inputs.test_look_ahead", "test_reading_one_byte_too_many_is_found",
           "the same without asking for a further byte: it is found", MADE),
    Family("tests.test_header_functions", "test_users_of_a_header_see_what_differs",
           "static functions of headers that a library calls with a constant, or never", CALLER),
    Family("tests.test_closed_streams", "test_one_version_fails",
           "streams and folders that the new version uses after it closed them", MADE),
    Family("tests.test_closed_streams", "test_the_other_version_fails",
           "the same in the old version, which is fixed", MADE),
    Family("tests.test_closed_streams", "test_both_versions_fail",
           "the same in both versions: no difference", MADE),
    Family("tests.test_closed_streams", "test_no_version_fails",
           "the same uses before they are closed: no difference", MADE),
    Family("tests.test_scattered", "test_a_change_in_it_is_found",
           "functions whose address the program takes apart and puts together", MADE),
    Family("tests.test_pointer_bytes", "test_one_object_for_both_is_not_left_out",
           "pointers that are compared as bytes or numbers", MADE),
    Family("tests.test_pointer_bytes", "test_numbers_beside_pointers_are_numbers",
           "numbers where pointers can lie, which have to be equivalent", MADE),
    Family("tests.test_gone_objects", "test_a_later_object_may_lie_in_the_place",
           "addresses of objects that are gone, beside those of later ones", GCC),
    Family("tests.test_gone_objects", "test_objects_of_one_time_lie_apart",
           "addresses of objects of one time, which have to be equivalent", MADE),
    Family("tests.test_called_types", "test_a_function_is_called_as_the_pointer_says",
           "calls through pointers to functions of another type", CALLER),
    Family("tests.test_called_types", "test_a_function_is_called_as_its_declaration_says",
           "calls of functions that are declared otherwise, or not at all", CALLER),
    Family("tests.test_called_types", "test_calls_that_fit_are_equivalent",
           "calls of other types that gcc makes alike, which have to be equivalent", CALLER),
    Family("tests.test_called_types", "test_a_name_is_the_function_that_the_header_says",
           "names that a header lets stand for another function", GCC),
    Family("tests.test_handlers_and_buffers", "test_handlers",
           "functions that are registered with the library", GCC),
    Family("tests.test_handlers_and_buffers", "test_buffers",
           "output that streams hold back", GCC),
    Family("tests.test_handlers_and_buffers", "test_areas",
           "output into buffers of all kinds", GCC),
    Family("tests.test_executed", "test_what_runs_before_a_main_without_parameters",
           "constructors and destructors", GCC),
    Family("tests.test_executed", "test_a_static_object_counts_where_a_later_call_shows_it",
           "static objects that later calls show", CALLER),
    Family("tests.symexec.exploration.test_process_state", "test_no_state_is_passed_over",
           "state of the library, the process and objects before and after a call", CALLER),
    Family("tests.test_left_in_memory", "test_seen_by_a_caller_that_is_still_there",
           "objects of the caller when a call ends", GCC),
    Family("tests.symexec.exploration.test_callbacks",
           "test_what_a_callback_can_change_is_left_out",
           "objects that a callback changes", CALLER),
    Family("tests.test_pointer_identity", "test_what_a_caller_can_pass_is_passed",
           "callbacks, streams and addresses that code compares", CALLER),
    Family("tests.test_pointer_identity", "test_the_same_question_is_equivalent",
           "the same comparisons in other words, which have to be equivalent", CALLER),
    Family("tests.symexec.exploration.test_moments",
           "test_what_a_caller_can_look_at_is_left_out",
           "what callbacks, and callers that end the process, can look at", CALLER),
    Family("tests.symexec.exploration.test_moments",
           "test_versions_stay_equal_where_callers_see_the_same",
           "the same, where callers see nothing else: they have to be equivalent", CALLER),
    Family("tests.symexec.exploration.test_handed_functions",
           "test_what_a_caller_can_call_is_left_out",
           "functions of the program that callbacks, and callers later, can call", CALLER),
    Family("tests.symexec.exploration.test_handed_functions",
           "test_a_function_that_runs_no_change_leaves_versions_equal",
           "the same, where these functions run no change: they have to be equivalent", CALLER),
    Family("tests.symexec.exploration.test_interleaved",
           "test_another_order_of_both_streams_is_left_out",
           "the order of standard output and standard error", SHOWN),
    Family("tests.symexec.exploration.test_interleaved",
           "test_versions_that_keep_the_order_are_equal",
           "the same, where both versions keep it: they have to be equivalent", SHOWN),
    Family("tests.symexec.exploration.test_clocks",
           "test_another_answer_may_show_a_difference",
           "the time, the user and limits: changes that meet what the system says", ANSWERS),
    Family("tests.symexec.exploration.test_clocks",
           "test_an_answer_that_no_change_meets_leaves_versions_equal",
           "the same, where no change meets it: they have to be equivalent", ANSWERS),
    Family("tests.symexec.exploration.test_silence", "test_a_signal_from_outside_is_left_out",
           "signals from outside: other actions", GCC),
    Family("tests.symexec.exploration.test_silence",
           "test_versions_that_handle_signals_alike_are_equivalent",
           "the same actions of signals, which have to be equivalent", GCC),
    Family("tests.test_whole_objects", "test_texts_of_the_caller_count_by_where_they_lie",
           "texts that a function returns in objects of its caller", CALLER),
    Family("tests.test_linked_objects", "test_another_graph_of_objects_is_no_equality",
           "objects of a caller that are shared, freed or no longer allocated", CALLER),
    Family("tests.test_linked_objects", "test_the_same_graph_is_equivalent",
           "the same graph in other words, which has to be equivalent", MADE),
    Family("tests.test_sanitizers_alone", "test_what_sanitizers_alone_show_is_no_difference",
           "what builds with sanitizers alone show, which is no difference", CALLER),
    Family("tests.test_shared_parts", "test_a_store_that_is_seen_through_another_pointer_is_found",
           "pointers in objects that lead into one object", CALLER),
    Family("tests.test_shared_parts", "test_what_is_only_read_may_be_one_object",
           "the same objects, only read: they have to be equivalent", CALLER),
    Family("tests.test_shared_parts",
           "test_a_pointer_to_a_part_is_no_equality_without_a_bound",
           "pointers to a part of an object, by its type, its place and who holds both", CALLER),
    Family("tests.test_nameless", "test_another_name_is_no_difference",
           "static objects and functions under other names, which are no difference", CALLER),
    Family("tests.test_nameless", "test_another_name_hides_no_difference",
           "the same, with a difference that a caller sees", CALLER),
    Family("tests.test_missing_files",
           "test_changes_are_found_where_it_is_missing_and_where_it_is_there",
           "files of the input that are missing, asked for in each way", MADE),
    Family("tests.test_missing_files",
           "test_versions_that_do_the_same_in_both_cases_are_equal",
           "the same, where both versions do the same: they have to be equivalent", MADE),
    Family("tests.test_matrices", "test_another_element_is_a_difference",
           "pointers to arrays, another element of which is read", MADE),
    Family("tests.test_matrices", "test_the_same_element_in_other_words_is_none",
           "the same element, written in another way: no difference", MADE),
    Family("tests.test_texts_in_objects", "test_what_is_stored_in_the_text_is_seen",
           "texts of a caller that lie in another object, and are stored to there", MADE),
    Family("tests.test_texts_in_objects", "test_a_text_ends_in_the_object_where_it_lies",
           "the same without a store: it ends there, so the versions are equivalent", MADE),
    Family("tests.test_behind_texts", "test_reading_behind_a_text_is_a_difference",
           "accesses behind a text that is all of its object, by one version", MADE),
    Family("tests.test_behind_texts", "test_reading_as_far_is_none",
           "the same by both versions, or by none: they have to be equivalent", MADE),
    Family("tests.test_changed_assignments", "test_a_changed_value_is_a_difference",
           "changed values that are stored where another side effect says", MADE),
    Family("tests.test_open_objects", "test_what_others_may_have_stored_is_no_constant",
           "static objects to which others get a pointer, read before the call stores", MADE),
    Family("tests.symexec.exploration.test_nan", "test_decisions_by_the_bits_of_a_nan",
           "decisions by the sign and the payload of a NaN", GCC),
    Family("tests.test_left_in_memory", "test_pointers_are_told_apart_as_natively",
           "pointers that a call leaves in memory", GCC),
    Family("tests.symexec.exploration.test_lent_constants",
           "test_a_store_to_what_may_be_constant_is_left_out",
           "stores to what a caller has as a constant", CALLER),
    Family("tests.symexec.exploration.test_lent_constants",
           "test_what_does_not_depend_on_a_change_is_none_of_these",
           "the same places, where no store depends on a change", CALLER),
    Family("tests.symexec.attack.test_functions",
           "test_callers_tell_the_versions_apart_and_not_those_that_are_alike",
           "shapes of parameters, each as a pair that differs and one that does not", CALLER),
    Family("tests.symexec.attack.test_functions", "test_the_attack_shows_the_difference",
           "the same shapes: the attack alone, on versions that differ", CALLER),
    Family("tests.symexec.attack.test_functions",
           "test_the_attack_shows_nothing_of_versions_that_are_alike",
           "the same shapes: the attack alone, on versions that are alike", CALLER),
    Family(f"{RANDOM}.test_pairs", "test_every_input_ends_as_it_does_natively",
           "random functions and edits", GRID, "STEP"),
    Family(f"{RANDOM}.test_mains", "test_predictions_come_true",
           "random programs and edits", "gcc's binaries, on random inputs", "STEP"),
    Family(f"{RANDOM}.test_branches", "test_functions_take_the_predicted_branches",
           "random functions and edits, branch by branch", GCC, "STEP"),
    Family(f"{RANDOM}.test_branches", "test_programs_take_the_predicted_branches",
           "random programs and edits, branch by branch", GCC, "STEP"),
    Family(f"{RANDOM}.test_regressions", "test_every_input_ends_as_it_does_natively",
           "pairs that were once misjudged, after one and both versions", GRID),
    Family(f"{RANDOM}.test_whole_jobs", "test_the_verdict_is_right",
           "random functions and edits: the verdict of a whole run", GRID),
    Family("tests.test_equivalence",
           "test_an_edit_that_keeps_the_behaviour_is_equivalent_within_bounds",
           "refactorings, which have to be equivalent", "gcc's binaries, on 20,000 random inputs"),
    Family("tests.test_equivalence",
           "test_a_near_miss_is_different_with_a_witness_that_was_replayed",
           "near-misses of these refactorings, which have to be different", GCC),
)  # fmt: skip


def table() -> str:
    """The families with their counts, as a table in Markdown."""
    rows = ["| pairs of versions | by day | in all | truth |", "|---|---:|---:|---|"]
    for family in FAMILIES:
        by_day, in_all = counts(family)
        rows.append(f"| {family.about} | {by_day:,} | {in_all:,} | {family.truth} |")
    return "\n".join(rows) + "\n"


def counts(family: Family) -> tuple[int, int]:
    """The number of pairs by day, and of all pairs."""
    module = importlib.import_module(family.module)
    by_day = in_all = getattr(module, family.size) if family.size else 1
    for members in parameters(getattr(module, family.test)):
        in_all *= len(members)
        by_day *= len(members) - sum(map(waits_for_night, members))
    return by_day, in_all


def parameters(test: object) -> list[Sequence[object]]:
    """The members of each ``parametrize`` of a test."""
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    found = [[*mark.args[1]] for mark in marks if mark.name == "parametrize"]
    assert found, f"{test} has no parameters"
    return found


def waits_for_night(member: object) -> bool:
    return any(mark.name == "night" for mark in getattr(member, "marks", ()))
