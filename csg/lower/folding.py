"""Compute what constants alone decide.

add 8  255, 3   ->  2
slt 8  255, 3   ->  1        (-1 < 3)
udiv 8 5, 0     ->  None     (it traps: left to run time)
"""

from __future__ import annotations


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def fold_binary(operator: str, width: int, left: int, right: int) -> int | None:
    """The result wrapped to ``width``; None when it must not be decided now."""
    mask = (1 << width) - 1
    match operator:
        case "add":
            return left + right & mask
        case "sub":
            return left - right & mask
        case "mul":
            return left * right & mask
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "shl" | "lshr" | "ashr":
            return _shift(operator, width, left, right)
        case "udiv" | "urem" | "sdiv" | "srem":
            return _divide(operator, width, left, right)
        case _:
            raise AssertionError(operator)


def _shift(operator: str, width: int, left: int, count: int) -> int | None:
    if count >= width:
        return None
    mask = (1 << width) - 1
    if operator == "shl":
        return left << count & mask
    return (signed(left, width) if operator == "ashr" else left) >> count & mask


def _divide(operator: str, width: int, left: int, right: int) -> int | None:
    mask = (1 << width) - 1
    if right == 0:
        return None
    if operator[0] == "u":
        return left // right if operator == "udiv" else left % right
    a, b = signed(left, width), signed(right, width)
    if b == -1 and left == 1 << (width - 1):
        return None
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (quotient if operator == "sdiv" else a - quotient * b) & mask


def fold_compare(operator: str, width: int, left: int, right: int) -> int:
    match operator:
        case "eq":
            return int(left == right)
        case "ne":
            return int(left != right)
        case "ult":
            return int(left < right)
        case "ule":
            return int(left <= right)
        case "slt":
            return int(signed(left, width) < signed(right, width))
        case "sle":
            return int(signed(left, width) <= signed(right, width))
        case _:
            raise AssertionError(operator)


def neutral(operator: str, right: int) -> bool:
    """Does ``left operator right`` leave ``left`` as it is?"""
    match operator:
        case "add" | "sub" | "or" | "xor" | "shl" | "lshr" | "ashr":
            return right == 0
        case "mul" | "udiv" | "sdiv":
            return right == 1
        case _:
            return False
