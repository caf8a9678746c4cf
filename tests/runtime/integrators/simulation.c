/* Co-Simulation: what a failed step leaves behind, requirements, inputs, reset. */
#include "model.h"

/* A slide at x > 0 on the unit circle, driven at the speed u0: out of reach where s > 1. */
FUNCTION(driven) { res[0][0] = arg[U][0]; }

FUNCTION(driven_tangent) { res[0][0] = 0; }

FUNCTION(circle_newton)
{
    const double x = arg[X][0], s = arg[S][0];
    res[0][0] = x - (x * x + s * s - 1) / (2 * x);
    res[1][0] = x * x + s * s - 1;
}

FUNCTION(circle_conditioning) { res[0][0] = arg[X][0]; }

FUNCTION(circle_start) { res[0][0] = res[1][0] = 1; }

FUNCTION(circle_requirement)
{
    res[0][0] = 2 - fabs(arg[U][0]);
    res[1][0] = arg[U][0];
}

static mb_model *driven_slide(void)
{
    return make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nu = 1, .nr = 1, .nq = 1,
                                 .derivative.call = driven, .change.call = driven_tangent,
                                 .newton.call = circle_newton,
                                 .conditioning.call = circle_conditioning,
                                 .start.call = circle_start,
                                 .require.call = circle_requirement});
}

static void set_input(mb_instance *m, double value)
{
    m->now.u[0] = value;
    m->fresh = 0;
}

static mb_status step(mb_instance *m, double size)
{
    int event;
    return mb_do_step(m, m->now.t, size, &event);
}

static void same_instances(const mb_instance *m, const mb_instance *other, const char *when)
{
    const mb_model *model = MB_MODEL;
    const int n = (int)mb_point_size(model);
    same_bytes(&m->now.t, &other->now.t, 1, when);
    same_bytes(m->now.values, other->now.values, n, when);
    same_bytes(&m->accepted.t, &other->accepted.t, 1, when);
    same_bytes(m->accepted.values, other->accepted.values, n, when);
    same_bytes(m->conditioning, other->conditioning, model->nr, when);
    same_bytes(&m->step_size.next, &other->step_size.next, 1, when);
    same_bytes(&m->step_size.error, &other->step_size.error, 1, when);
    same_bytes(&m->step_size.time_to_impact, &other->step_size.time_to_impact, 1, when);
    expect(m->mode == other->mode, "%s: modes %d and %d", when, (int)m->mode, (int)other->mode);
}

CHECK(a_failed_step_is_rolled_back)
{
    mb_model *model = driven_slide();
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6), *other = start(model, MB_METHOD_RK45, 1e-6);
    set_input(m, 0.5);
    set_input(other, 0.5);
    step_to(m, 1, 7);
    step_to(other, 1, 7);
    set_input(m, 1.5); /* s = 1 is met after a third of a second */
    expect(step(m, 1) == MB_DISCARD, "a step out of reach is accepted");
    says(m, "t = ");
    near(m->now.s[0], 0.5, 1e-15, "state");
    near(m->now.u[0], 1.5, 0, "input");
    set_input(m, 0.25);
    set_input(other, 0.25);
    m->accepted.u[0] = other->accepted.u[0]; /* what was tried with it does not count */
    same_instances(m, other, "after the failed step");
    step_to(m, 2, 3);
    step_to(other, 2, 3);
    same_instances(m, other, "a second later");
    mb_free(m);
    mb_free(other);
}

CHECK(the_same_failure_twice_ends_the_simulation)
{
    mb_instance *m = start(driven_slide(), MB_METHOD_RK45, 1e-6);
    set_input(m, 1.5);
    const struct {
        double size;
        mb_status status;
        int terminated;
    } tries[] = {{1, MB_DISCARD, 0}, {0.9, MB_DISCARD, 0}, {0.9, MB_DISCARD, 1},
                 {1.2, MB_DISCARD, 1}, {0.3, MB_OK, 0},    {1, MB_DISCARD, 0}};
    for (int i = 0; i < 6; i++) {
        expect(step(m, tries[i].size) == tries[i].status, "try %d: %s", i, m->message);
        near(m->terminated, tries[i].terminated, 0, "terminated");
    }
    expect(step(m, 1) == MB_DISCARD && m->terminated, "it does not say that it cannot go on");
    mb_reset(m);
    near(m->terminated, 0, 0, "terminated after a reset");
    initialize(m);
    set_input(m, 1.5);
    expect(step(m, 1) == MB_DISCARD && !m->terminated, "a first failure ends the simulation");
    mb_free(m);
}

CHECK(a_step_that_is_impossible_is_refused)
{
    const double steps[][2] = {{0.5, 0.1}, {0, -0.1}, {0, 0},        {0, NAN},
                               {NAN, 0.1}, {0, INFINITY}, {1e-4, 0.1}, {-1e-9, 0.1}};
    mb_instance *m = start(driven_slide(), MB_METHOD_RK45, 1e-6);
    int event;
    for (int i = 0; i < 8; i++)
        expect(mb_do_step(m, steps[i][0], steps[i][1], &event) == MB_ERROR,
               "a step from %g of %g is accepted", steps[i][0], steps[i][1]);
    near(m->now.t, 0, 0, "time");
    mb_free(m);
}

CHECK(requirements_hold_all_along)
{
    mb_instance *m = start(driven_slide(), MB_METHOD_RK45, 1e-6);
    set_input(m, -2.5);
    expect(step(m, 0.1) == MB_DISCARD, "what must hold is violated");
    says(m, "part0: must be positive (it is -2.5 at t = 0 s)");
    set_input(m, -1.5);
    expect(!step(m, 0.1), "%s", m->message);
    mb_free(m);
}

/* Requirements that are checked once. */
FUNCTION(parameter_requirement)
{
    res[0][0] = arg[P][0];
    res[0][1] = arg[S][0];
    res[1][0] = arg[P][0];
    res[1][1] = arg[S][0];
}

CHECK(requirements_of_parameters_and_of_the_start)
{
    const mb_requirement requirements[] = {
        {.name = "p0", .message = "must be positive", .when = MB_OF_PARAMETERS},
        {.name = "s0", .message = "must begin above zero", .when = MB_AT_START}};
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .nq = 2,
                                            .requirement = requirements,
                                            .derivative.call = driven,
                                            .require.call = parameter_requirement});
    variable(model, MB_PARAMETER, 0)->start = -1;
    mb_instance *m = create(model, MB_CO_SIMULATION);
    mb_enter_initialization(m);
    expect(mb_exit_initialization(m) == MB_ERROR, "p0 may be negative");
    says(m, "p0: must be positive (it is -1 at t = 0 s)");
    m->now.p[0] = 1;
    m->fresh = m->parameters_checked = 0;
    expect(mb_exit_initialization(m) == MB_ERROR, "s0 may begin at zero");
    says(m, "s0: must begin above zero (it is 0 ");
    m->now.s[0] = 0.5;
    m->now.u[0] = -1;
    m->fresh = 0;
    expect(!mb_exit_initialization(m), "%s", m->message);
    step_to(m, 1, 1);
    near(m->now.s[0], -0.5, 1e-14, "s0 later");
    m->now.p[model->np - MB_SOLVER_PARAMETERS] = 2;
    variable(model, MB_PARAMETER, model->np - MB_SOLVER_PARAMETERS)->available = 5;
    m->fresh = m->parameters_checked = 0;
    expect(step(m, 1) == MB_DISCARD, "an item that is not available is taken");
    says(m, "item 2 of");
    mb_free(m);
}

CHECK(inputs_are_held_over_a_step)
{
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method++) {
        mb_instance *m = start(driven_slide(), method, 1e-6);
        const double speeds[] = {0.25, -0.5, 1};
        for (int i = 0; i < 3; i++) {
            set_input(m, speeds[i]);
            step_to(m, i + 1, 1);
        }
        near(m->now.s[0], 0.75, 1e-14, "way");
        near(m->now.x[0], sqrt(1 - 0.75 * 0.75), 1e-14, "height");
        mb_free(m);
    }
}

/* s' = s, which must stay below three. */
FUNCTION(grow) { res[0][0] = arg[S][0]; }
FUNCTION(twice) { res[0][0] = 2 * arg[S][0]; }

FUNCTION(below_three)
{
    res[0][0] = 3 - arg[S][0];
    res[1][0] = arg[S][0];
}

CHECK(what_is_read_after_a_failed_step_is_what_was_before)
{
    mb_model *model = make_model((mb_model){.ns = 1, .ny = 1, .nq = 1, .derivative.call = grow,
                                            .output.call = twice, .require.call = below_three});
    variable(model, MB_STATE, 0)->start = 1;
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    double rate;
    expect(step(m, 2) == MB_DISCARD, "what must hold is violated");
    expect(!mb_get_rates(m, &rate, 1) && !mb_provide(m, MB_OBSERVED), "%s", m->message);
    near(rate, 1, 0, "rate");
    near(m->output[0], 2, 0, "output");
    mb_free(m);
}

/* s' = -4 s, which cannot be evaluated below zero, where a long step's stages lie. */
FUNCTION(guarded) { res[0][0] = arg[S][0] < 0 ? NAN : -4 * arg[S][0]; }

CHECK(a_step_that_cannot_be_evaluated_is_tried_shorter)
{
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method += 2) {
        mb_model *model = make_model((mb_model){.ns = 1, .derivative.call = guarded});
        variable(model, MB_STATE, 0)->start = 1;
        solver(model, 2)->start = 1;
        mb_instance *m = start(model, method, 1e-6);
        step_to(m, 1, 1);
        near(m->now.s[0], exp(-4), 2e-3, "state");
        mb_free(m);
    }
}

/* After anything, a reset instance is a fresh one. */
static void use_roughly(mb_instance *m)
{
    expect(!mb_set_experiment(m, 3, 1, 1e-2), "%s", m->message);
    m->now.p[1] = 1e-9;
    m->now.s[0] = 0.3;
    initialize(m);
    set_input(m, 0.1);
    step_to(m, 4, 3);
    set_input(m, 2);
    expect(step(m, 2) == MB_DISCARD && step(m, 2) == MB_DISCARD, "it goes through the wall");
    m->mode = MB_TERMINATED;
}

CHECK(a_reset_instance_is_a_fresh_one)
{
    mb_model *model = driven_slide();
    mb_instance *m = create(model, MB_CO_SIMULATION), *fresh = create(model, MB_CO_SIMULATION);
    use_roughly(m);
    mb_reset(m);
    same_instances(m, fresh, "after the reset");
    near(m->tolerance, 0, 0, "tolerance after the reset");
    initialize(m);
    initialize(fresh);
    same_instances(m, fresh, "after initialization");
    near(mb_relative_tolerance(m), 1e-6, 0, "tolerance in use");
    set_input(m, 0.4);
    set_input(fresh, 0.4);
    step_to(m, 2, 5);
    step_to(fresh, 2, 5);
    same_instances(m, fresh, "later");
    mb_free(m);
    mb_free(fresh);
}

/* What functions have in common is calculated for a point, and again for every other one. */
FUNCTION(in_common) { res[0][0] = 100 * arg[P][0] + 10 * arg[U][0] + arg[S][0] + arg[T][0] / 10; }
FUNCTION(as_kept) { res[0][0] = arg[EXTRA][0]; }

CHECK(values_in_common_are_those_of_their_point)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .ny = 1, .nk = 1,
                                            .derivative.call = driven, .common.call = in_common,
                                            .output = {.call = as_kept,
                                                       .extras = 1,
                                                       .extra = {MB_EXTRA_cached}}});
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    double *places[] = {&m->now.p[0], &m->now.u[0], &m->now.s[0], &m->now.t};
    const double weights[] = {100, 10, 1, 0.1};
    double right = 0;
    for (int i = 0; i < 4; i++) {
        *places[i] = 1 + i;
        right += weights[i] * (1 + i);
        m->fresh = 0;
        expect(!mb_provide(m, MB_OBSERVED), "%s", m->message);
        near(m->output[0], right, 1e-13, "output");
    }
    mb_free(m);
}

CHECK(there_is_no_instance_for_another_token)
{
    char message[MB_MESSAGE];
    tested_model = driven_slide();
    expect(!mb_create("f", "i", "other", MB_CO_SIMULATION, message), "another token is accepted");
    expect(strstr(message, "other") && strstr(message, "token"), "\"%s\" says too little", message);
    expect(!mb_create("f", "i", NULL, MB_CO_SIMULATION, message), "no token is accepted");
}
