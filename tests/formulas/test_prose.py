"""Formulas inside sentences: where they begin and end, and what is none."""

from __future__ import annotations

import pytest

from mbcore.formulas import in_sentence, pieces


def marked(sentence: str) -> str:
    """Return a sentence with its formulas in brackets that nothing else has."""
    return "".join(f"⟦{text}⟧" if formula else text for text, formula in pieces(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "the motion ⟦m δ̈ = -K δⁿ (1 + κ u)⟧ separates, with ⟦u = δ̇/δ̇⁻⟧ in it.",
        "Where ⟦|λ*| ≤ L⟧ the contact sticks and ⟦z' = s⟧; for ⟦ε → 0⟧ it (slowly) ends.",
        "a factor ⟦κ(e)⟧ of a [Pacejka] (4.E9) law, ⟦F = K δⁿ⟧ (see Fig. 3).",
        "⟦M̄ Δq̈ + C̄ Δq̇ = ...⟧, ⟦Δq̇^k = A Δq̇⟧ of a system, ⟦x₀ᵀ P x₀⟧ and ⟦½ ω∘λ⟧",
        "⟦∫ φ̇² dξ⟧ of 12 beams, ⟦Φ = 12 EI / (k G A l_0²)⟧, and ⟦(1 + y_p'²)^(3/2)⟧",
        "The polynomial ⟦a λ⁴ + b λ³⟧ vanishes at ⟦κ = 3 (1 - e²)/4⟧ (5.10), with ⟦φ⟧ a coordinate",
        "Coulomb's ⟦μ F⟧ and others' ⟦κ⟧, Störmer's and Kortüm's, ⟦m ü + k u = 0⟧",
    ],
)
def test_formulas_are_found_without_a_mark(sentence: str) -> None:
    assert marked(sentence.replace("⟦", "").replace("⟧", "")) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Stiffness K, N/m^1.5, mass in kg m²/s², 3.8 m/s² and 16.5 °/s, 0.1 mm/s over 10 μm.",
        "The axis x of a disk, on/off, shape (n, 1), 1e-12, a well-known law (see 5.2).",
        "names such as chassis_speed, p_angle, PKY2 or start.NAME, of FMI 3.0",
        "A wheel's radius r and a body's mass m: they are 0.3 m and 2 kg.",
    ],
)
def test_units_names_and_letters_alone_stay_text(sentence: str) -> None:
    assert marked(sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("a radius of 10 mm (R_2 = -10 mm)", 'a radius of 10 mm ⟦(R_2 = -10 "mm")⟧'),
        ("at v = 0.8 m/s a start", "at ⟦v = 0.8⟧ m/s a start"),
        ("it is 0.1 m/s ε or 5 g sin α", "it is 0.1 m/s ⟦ε⟧ or ⟦5 g sin α⟧"),
    ],
)
def test_units_of_numbers_are_no_factors(sentence: str, expected: str) -> None:
    assert marked(sentence) == expected


def test_a_sentence_becomes_mathematics_and_text() -> None:
    assert in_sentence('lean φ < 1, "left" & right') == (
        "lean <math><mi>φ</mi><mo>&lt;</mo><mn>1</mn></math>, &quot;left&quot; &amp; right"
    )


def test_what_cannot_be_read_stays_text() -> None:
    assert in_sentence("Σ oneᵀ two") == "Σ oneᵀ two"


def test_fractions_of_one_sign_have_no_slash_that_seems_to_divide_what_follows() -> None:
    assert in_sentence("½ λ") == "<math><mn>½</mn><mi>λ</mi></math>"
    assert in_sentence("κ = 1/2") == "<math><mi>κ</mi><mo>=</mo><mn>½</mn></math>"
    assert "stretchy" in in_sentence("κ = 5/2")
