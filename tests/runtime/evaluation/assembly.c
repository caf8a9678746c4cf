/* The position problem: bad guesses, places out of reach, singular ones, coordinates that follow. */
#include "model.h"

/* The configuration at a state, reached from the accepted one. */
static mb_status go(mb_instance *m, double s)
{
    m->now.s[0] = s;
    m->fresh = 0;
    return mb_configure(m);
}

/* A slide at x > 0 on a circle of radius 1 about the origin, at the height s. */
FUNCTION(slide_newton)
{
    const double x = arg[X][0], s = arg[S][0];
    res[0][0] = x - (x * x + s * s - 1) / (2 * x);
    res[1][0] = x * x + s * s - 1;
}

FUNCTION(slide_conditioning) { res[0][0] = arg[X][0]; }

FUNCTION(slide_start)
{
    res[0][0] = 0.1;
    res[1][0] = 1;
}

static mb_model *slide(void)
{
    return make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nr = 1, .newton.call = slide_newton,
                                 .conditioning.call = slide_conditioning, .start.call = slide_start});
}

CHECK(assembly_from_a_bad_guess)
{
    mb_instance *m = create(slide(), MB_CO_SIMULATION);
    m->now.s[0] = 0.6;
    initialize(m);
    near(m->now.x[0], 0.8, 1e-15, "x");
    mb_free(m);
}

/* atan(x - s) = 0, from 3 away: whole Newton steps go farther and farther. */
FUNCTION(flat_newton)
{
    const double off = arg[X][0] - arg[S][0];
    res[0][0] = arg[X][0] - atan(off) * (1 + off * off);
    res[1][0] = atan(off);
}

FUNCTION(flat_start)
{
    res[0][0] = 3;
    res[1][0] = 1;
}

CHECK(assembly_takes_parts_of_steps_that_lead_astray)
{
    mb_instance *m = create(make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nr = 1,
                                                  .newton.call = flat_newton,
                                                  .start.call = flat_start}),
                            MB_CO_SIMULATION);
    initialize(m);
    near(m->now.x[0], 0, 1e-14, "x");
    mb_free(m);
}

CHECK(what_cannot_be_assembled_is_an_error)
{
    mb_instance *m = create(slide(), MB_CO_SIMULATION);
    m->now.s[0] = 1.5;
    mb_enter_initialization(m);
    expect(mb_exit_initialization(m) == MB_ERROR, "it was assembled");
    says(m, "part0 stays violated");
    m->now.s[0] = 0;
    m->fresh = 0;
    expect(!mb_exit_initialization(m), "%s", m->message);
    near(m->now.x[0], 1, 1e-15, "x");
    mb_free(m);
}

/* x³ = s: where s = 0 it fits, and Newton's method leaves two thirds of what is left. */
FUNCTION(cubic_newton)
{
    const double x = arg[X][0], violated = x * x * x - arg[S][0];
    res[0][0] = x - violated / (3 * x * x);
    res[1][0] = violated;
}

FUNCTION(cubic_conditioning) { res[0][0] = arg[X][0] * arg[X][0]; }

CHECK(a_singular_start_is_told_from_one_that_does_not_fit)
{
    mb_instance *m = create(make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nr = 1,
                                                  .newton.call = cubic_newton,
                                                  .conditioning.call = cubic_conditioning,
                                                  .start.call = slide_start}),
                            MB_CO_SIMULATION);
    mb_enter_initialization(m);
    expect(mb_exit_initialization(m) == MB_ERROR, "it was assembled");
    says(m, "the start at t = 0 s is a singular configuration in part0");
    mb_free(m);
}

FUNCTION(pushed)
{
    res[0][0] = 3 / arg[P][0];
    res[0][1] = arg[S][0];
}

CHECK(a_mass_that_is_set_to_zero_is_named)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 2, .derivative.call = pushed});
    variable(model, MB_PARAMETER, 0)->start = 1;
    mb_instance *m = create(model, MB_CO_SIMULATION);
    m->now.p[0] = 0;
    m->fresh = 0;
    mb_enter_initialization(m);
    expect(mb_exit_initialization(m) == MB_ERROR, "it was initialized");
    says(m, "ds0 is not finite");
    says(m, "of which these are set to 0: p0");
    expect(strstr(m->message, "p1") == NULL, "a parameter is named that is zero by default");
    mb_free(m);
}

CHECK(what_is_out_of_reach_is_discarded_and_forgotten)
{
    mb_instance *m = start(slide(), MB_METHOD_RK45, 1e-6);
    expect(go(m, 1.5) == MB_DISCARD, "a place out of reach was reached");
    says(m, "part0 stays violated");
    expect(!go(m, 0.6), "%s", m->message);
    near(m->now.x[0], 0.8, 1e-15, "x");
    mb_free(m);
}

/* Two slides; only the second goes out of reach. */
FUNCTION(slides_newton)
{
    const double s = arg[S][0];
    for (int i = 0; i < 2; i++) {
        const double x = arg[X][i], violated = i == 0 ? x - s : x * x + s * s - 1;
        res[0][i] = x - violated / (i == 0 ? 1 : 2 * x);
        res[1][i] = violated;
    }
}

FUNCTION(slides_start) { res[0][0] = res[0][1] = res[1][0] = res[1][1] = 1; }

CHECK(what_is_violated_most_is_named)
{
    mb_instance *m = start(make_model((mb_model){.nx = 2, .nc = 2, .ns = 1, .nr = 1,
                                                 .newton.call = slides_newton,
                                                 .start.call = slides_start}),
                           MB_METHOD_RK45, 1e-6);
    expect(go(m, 3) == MB_DISCARD, "a place out of reach was reached");
    says(m, "part1 stays violated, from there by 9");
    mb_free(m);
}

CHECK(a_singular_place_is_not_accepted)
{
    mb_instance *m = start(slide(), MB_METHOD_RK45, 1e-6);
    expect(!go(m, 0.9999) && !mb_accept(m), "%s", m->message);
    m->now.s[0] = 1;
    m->now.x[0] = 1e-10;
    m->fresh = MB_CONFIGURED;
    expect(mb_accept(m) == MB_DISCARD, "it was accepted");
    says(m, "singular");
    says(m, "part0");
    m->now.x[0] = NAN;
    m->fresh = MB_CONFIGURED;
    expect(mb_accept(m) == MB_DISCARD, "NaN was accepted");
    m->now.s[0] = 0.6;
    m->now.x[0] = -0.8;
    m->fresh = MB_CONFIGURED;
    expect(mb_accept(m) == MB_DISCARD, "the other branch was accepted");
    says(m, "singular");
    mb_free(m);
}

/* Coordinates that are not iterated: a bob at the end of the slide. */
FUNCTION(bob_newton)
{
    slide_newton(arg, res, w);
    res[0][1] = res[0][0] + 2;
}

FUNCTION(bob_place)
{
    res[0][0] = arg[X][0];
    res[0][1] = arg[X][0] + 2;
}

FUNCTION(bob_start)
{
    res[0][0] = res[1][0] = res[1][1] = 1;
    res[0][1] = 7; /* not where it belongs */
}

CHECK(what_follows_explicitly_is_placed)
{
    mb_instance *m = start(make_model((mb_model){.nx = 2, .ni = 1, .nc = 1, .ns = 1, .nr = 1,
                                                 .newton.call = bob_newton,
                                                 .place.call = bob_place,
                                                 .conditioning.call = slide_conditioning,
                                                 .start.call = bob_start}),
                           MB_METHOD_RK45, 1e-6);
    near(m->now.x[1], 3, 1e-15, "bob at the start");
    for (double s = -0.9; s < 0.95; s += 0.1) {
        expect(!go(m, s), "%s", m->message);
        near(m->now.x[1], 2 + sqrt(1 - s * s), 1e-14, "bob");
    }
    mb_free(m);
}

/* Newton's method that goes to and fro for ever. */
FUNCTION(circling_newton)
{
    res[0][0] = arg[S][0] > 0 ? 0.02 - arg[X][0] : 0;
    res[1][0] = arg[X][0];
}

CHECK(an_iteration_that_does_not_contract_ends)
{
    mb_instance *m = start(make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nr = 1,
                                                 .newton.call = circling_newton}),
                           MB_METHOD_RK45, 1e-6);
    expect(go(m, 1) == MB_DISCARD, "a configuration was found");
    mb_free(m);
}
