/* Co-Simulation: what a failed step leaves behind, reset, tolerances, control of the error. */
#include "model.h"

static const double PI = 3.14159265358979323846;

static int calls; /* of a right-hand side */

/* A slide at x > 0 on the unit circle, driven at the speed u0: out of reach where s > 1. */
FUNCTION(driven)
{
    calls++;
    res[0][0] = arg[U][0];
}

FUNCTION(driven_tangent) { res[0][0] = 0; }

FUNCTION(circle_newton)
{
    const double x = arg[X][0], s = arg[S][0];
    res[0][0] = x - (x * x + s * s - 1) / (2 * x);
    res[1][0] = x * x + s * s - 1;
}

FUNCTION(circle_regularity) { res[0][0] = arg[X][0]; }

FUNCTION(circle_start) { res[0][0] = res[1][0] = 1; }

FUNCTION(circle_requirement)
{
    res[0][0] = 2 - fabs(arg[U][0]);
    res[1][0] = arg[U][0];
}

static mb_model *driven_slide(void)
{
    return make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nu = 1, .nr = 1, .nq = 1,
                                 .derivative.call = driven, .tangent.call = driven_tangent,
                                 .newton.call = circle_newton,
                                 .regularity.call = circle_regularity,
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
    const mb_model *model = m->model;
    const int n = (int)mb_point_size(model);
    same_bytes(&m->now.t, &other->now.t, 1, when);
    same_bytes(m->now.values, other->now.values, n, when);
    same_bytes(&m->accepted.t, &other->accepted.t, 1, when);
    same_bytes(m->accepted.values, other->accepted.values, n, when);
    same_bytes(m->regularity, other->regularity, model->nr, when);
    same_bytes(&m->pace.step, &other->pace.step, 1, when);
    same_bytes(&m->pace.error, &other->pace.error, 1, when);
    same_bytes(&m->pace.landing, &other->pace.landing, 1, when);
    expect(m->mode == other->mode, "%s: modes %d and %d", when, (int)m->mode, (int)other->mode);
}

CHECK(a_failed_step_is_rolled_back)
{
    mb_model *model = driven_slide();
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-6), *other = start(model, MB_RUNGE_KUTTA, 1e-6);
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
    mb_instance *m = start(driven_slide(), MB_RUNGE_KUTTA, 1e-6);
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
    const double steps[][2] = {{0.5, 0.1}, {0, -0.1}, {0, NAN}, {NAN, 0.1}, {0, INFINITY}};
    mb_instance *m = start(driven_slide(), MB_RUNGE_KUTTA, 1e-6);
    int event;
    for (int i = 0; i < 5; i++)
        expect(mb_do_step(m, steps[i][0], steps[i][1], &event) == MB_ERROR,
               "a step from %g of %g is accepted", steps[i][0], steps[i][1]);
    expect(!mb_do_step(m, 0, 0, &event), "a step of no length: %s", m->message);
    near(m->now.t, 0, 0, "time");
    mb_free(m);
}

CHECK(requirements_hold_all_along)
{
    mb_instance *m = start(driven_slide(), MB_RUNGE_KUTTA, 1e-6);
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
    m->now.p[model->np - 3] = 2;
    variable(model, MB_PARAMETER, model->np - 3)->available = 5;
    m->fresh = m->parameters_checked = 0;
    expect(step(m, 1) == MB_DISCARD, "an item that is not available is taken");
    says(m, "item 2 of");
    mb_free(m);
}

/* s0 = sin t, s1 = cos t. */
FUNCTION(turn)
{
    calls++;
    res[0][0] = arg[S][1];
    res[0][1] = -arg[S][0];
}

FUNCTION(turn_tangent)
{
    res[0][0] = arg[EXTRA][1];
    res[0][1] = -arg[EXTRA][0];
}

static mb_model *turning(void)
{
    mb_model *model =
        make_model((mb_model){.ns = 2, .derivative.call = turn, .tangent.call = turn_tangent});
    variable(model, MB_STATE, 1)->start = 1;
    return model;
}

/* Errors after ten seconds: in the order of the tolerance, and not a hundredth of it either. */
static void keeps_tolerance(int method)
{
    mb_model *model = turning();
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
        mb_instance *m = start(model, method, tolerance);
        step_to(m, 10, 1);
        const double error = hypot(m->now.s[0] - sin(10), m->now.s[1] - cos(10)) / tolerance;
        expect(error < 50 && error > 1e-2, "method %d: error of %g tolerances of %g", method, error,
               tolerance);
        mb_free(m);
    }
}

CHECK(errors_are_in_the_order_of_the_tolerance)
{
    keeps_tolerance(MB_RUNGE_KUTTA);
    keeps_tolerance(MB_ROSENBROCK);
}

CHECK(the_importer_s_tolerance_comes_first)
{
    mb_model *model = turning();
    mb_instance *m = start(model, MB_ROSENBROCK, 1e-3), *own = start(model, MB_ROSENBROCK, 1e-8);
    mb_reset(m);
    m->now.p[1] = 1e-3;
    expect(!mb_set_experiment(m, 0, 1, 1e-8), "%s", m->message);
    initialize(m);
    step_to(m, 3, 1);
    step_to(own, 3, 1);
    same_bytes(m->now.s, own->now.s, 2, "with the importer's tolerance");
    expect(mb_set_experiment(m, 0, 1, 0) == MB_ERROR, "a tolerance of 0 is accepted");
    expect(mb_set_experiment(m, 0, 1, NAN) == MB_ERROR, "a tolerance of NaN is accepted");
    expect(mb_set_experiment(m, INFINITY, 0, 0) == MB_ERROR, "an infinite time is accepted");
    mb_free(m);
    mb_free(own);
}

CHECK(no_tolerance_is_tighter_than_rounding_allows)
{
    mb_model *model = turning();
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-30), *same = start(model, MB_RUNGE_KUTTA, 1e-13);
    m->now.p[1] = 1e-30;
    step_to(m, 1, 1);
    step_to(same, 1, 1);
    same_bytes(m->now.s, same->now.s, 2, "states");
    near(m->now.s[0], sin(1), 1e-13, "sine");
    near(mb_relative_tolerance(m), 1e-13, 0, "tolerance");
    mb_free(m);
    mb_free(same);
}

static void chooses(int method, double tolerance, const mb_method *right)
{
    mb_instance *m = start(turning(), method, tolerance);
    expect(m->method == right, "method %d at %g is another one", method, tolerance);
    mb_free(m);
}

CHECK(tight_tolerances_take_the_method_of_order_8)
{
    chooses(MB_RUNGE_KUTTA, 1e-7, &mb_runge_kutta);
    chooses(MB_RUNGE_KUTTA, 0.99e-7, &mb_runge_kutta_8);
    chooses(MB_ROSENBROCK, 1e-9, &mb_rosenbrock);
    chooses(MB_FIXED_STEP, 1e-9, &mb_fixed_step);
}

CHECK(the_norm_of_an_error)
{
    mb_model *model = turning();
    variable(model, MB_STATE, 1)->nominal = 3;
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-4);
    const double from[] = {-2, 0}, to[] = {1, 4}, difference[] = {3e-4, -14e-4};
    memcpy(m->accepted.s, from, sizeof from);
    memcpy(m->now.s, to, sizeof to);
    near(mb_error_norm(m, difference), sqrt((1 + 4) / 2.0), 1e-14, "norm");
    mb_free(m);
}

/* s0 = t^(n+1) / (n+1) with n = p0: what the methods' error estimates say of one step. */
FUNCTION(power_of_time)
{
    const double t = arg[T][0];
    res[0][0] = pow(t, arg[P][0]);
}

FUNCTION(power_tangent)
{
    const double t = arg[T][0], n = arg[P][0];
    res[0][0] = n > 0 ? n * pow(t, n - 1) * arg[EXTRA][1] : 0;
}

/* In units of the state. */
static double estimate(const mb_method *method, double n, double h)
{
    static mb_model *model;
    if (!model)
        model = make_model((mb_model){.ns = 1, .np = 1, .derivative.call = power_of_time,
                                      .tangent.call = power_tangent});
    variable(model, MB_PARAMETER, 0)->start = n;
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1);
    m->method = method;
    double error = NAN;
    expect(!mb_evaluate(m, MB_DERIVED) && (!method->prepare || !method->prepare(m)), "rate");
    memcpy(m->stage[0], m->rate, sizeof(double));
    expect(!method->attempt(m, h, h, &error), "%s", m->message);
    error *= 1 + fabs(m->now.s[0]);
    mb_free(m);
    return error;
}

CHECK(the_estimate_of_order_5_is_the_embedded_solution_of_order_4)
{
    /* the weights that Dormand and Prince give for order 4 */
    const double c[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    const double b[] = {5179.0 / 57600,    0,            7571.0 / 16695, 393.0 / 640,
                        -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
    for (int n = 0; n < 7; n++) {
        double embedded = 0, h = 0.7;
        for (int i = 0; i < 7; i++)
            embedded += b[i] * pow(c[i], n);
        const double right = pow(h, n + 1) * fabs(1.0 / (n + 1) - embedded);
        if (n < 5) /* beyond, the solution is not exact */
            near(estimate(&mb_runge_kutta, n, h), n < 4 ? 0 : right, 1e-15, "estimate");
    }
}

/* As in Hairer's DOP853: weights of the estimate of order 5, and of a quadrature of order 3. */
CHECK(the_estimate_of_order_8_combines_those_of_orders_5_and_3)
{
    const double c[] = {1.0 / 3, 0.25, 4.0 / 13, 127.0 / 195, 0.6, 6.0 / 7, 1};
    const double fifth[] = {-1.225156446376204, -0.4957589496572502, 1.664377182454986,
                            -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
                            -0.02235530786388629};
    for (int n = 5; n < 8; n++) {
        const double h = 0.7, scale = pow(h, n + 1);
        const double third = 0.733846688281611 * pow(c[3], n) + 0.0220588235294118;
        double first = 0, second = scale * fabs(1.0 / (n + 1) - third);
        for (int i = 0; i < 7; i++)
            first += fifth[i] * pow(c[i], n);
        first = scale * fabs(first);
        const double right = first * first / sqrt(first * first + 0.01 * second * second);
        near(estimate(&mb_runge_kutta_8, n, h) / right, 1, 1e-10, "estimate");
    }
}

CHECK(estimates_vanish_where_the_embedded_solution_is_exact)
{
    for (int n = 0; n < 5; n++)
        near(estimate(&mb_runge_kutta_8, n, 0.7), 0, 1e-14, "estimate of order 8");
    for (int n = 0; n < 3; n++)
        near(estimate(&mb_rosenbrock, n, 0.7), 0, 1e-14, "estimate of rosenbrock");
    expect(estimate(&mb_runge_kutta_8, 6, 0.7) > 1e-8, "no estimate of order 8");
    expect(estimate(&mb_rosenbrock, 3, 0.7) > 1e-4, "no estimate of rosenbrock");
}

CHECK(estimates_grow_as_the_step_size_control_expects)
{
    const mb_method *methods[] = {&mb_runge_kutta, &mb_runge_kutta_8, &mb_rosenbrock};
    for (int i = 0; i < 3; i++) {
        const double n = 1 / methods[i]->exponent - 1; /* the lowest power that is seen */
        const double ratio = estimate(methods[i], 9, 0.5) / estimate(methods[i], 9, 0.25);
        near(log2(ratio), 10, 1e-6, "all powers of one step");
        if (i != 1)
            near(log2(estimate(methods[i], n, 0.5) / estimate(methods[i], n, 0.25)), n + 1, 1e-6,
                 "order");
    }
}

CHECK(inputs_are_held_over_a_step)
{
    for (int method = MB_RUNGE_KUTTA; method <= MB_FIXED_STEP; method++) {
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

static int calls_of_fixed_steps(double step_size)
{
    mb_model *model = turning();
    solver(model, 2)->start = step_size;
    mb_instance *m = start(model, MB_FIXED_STEP, 1e-6);
    calls = 0;
    step_to(m, 1, 1);
    step_to(m, 2, 1);
    mb_free(m);
    return calls;
}

CHECK(fixed_steps_divide_the_interval)
{
    /* four evaluations for each step; the first was made at the end of initialization */
    near(calls_of_fixed_steps(1), 2 * 4 - 1, 0, "one step");
    near(calls_of_fixed_steps(0.3), 2 * 16 - 1, 0, "four steps of at most 0.3");
    near(calls_of_fixed_steps(0.25), 2 * 16 - 1, 0, "four steps of 0.25");
    near(calls_of_fixed_steps(7), 2 * 4 - 1, 0, "a step longer than the interval");
}

static int calls_for(mb_instance *m, double time, int steps)
{
    calls = 0;
    step_to(m, time, steps);
    return calls;
}

CHECK(short_communication_steps_do_not_shorten_later_ones)
{
    mb_model *model = turning();
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-6), *fresh = start(model, MB_RUNGE_KUTTA, 1e-6);
    step_to(m, 5, 1);
    step_to(fresh, 5, 1);
    const int in_short_steps = calls_for(m, 5 + 1e-6, 100);
    const int later = calls_for(m, 10, 1), without = calls_for(fresh, 10, 1);
    expect(in_short_steps <= 7 * 100, "%d evaluations in 100 short steps", in_short_steps);
    expect(later <= without + 6, "%d evaluations after short steps, %d without", later, without);
    mb_free(m);
    mb_free(fresh);
}

/* A rest until t = 4, in which steps grow, then a pulse whose area is 1/2: the first step that meets
 * it is far too long. */
FUNCTION(pulse) { res[0][0] = arg[T][0] < 4 || arg[T][0] > 5 ? 0 : pow(sin(PI * arg[T][0]), 2); }

FUNCTION(pulse_tangent)
{
    const double t = arg[T][0];
    res[0][0] = t < 4 || t > 5 ? 0 : PI * sin(2 * PI * t) * arg[EXTRA][1];
}

CHECK(steps_that_are_too_long_are_repeated)
{
    const double tolerances[] = {1e-4, 1e-6, 1e-9};
    for (int method = MB_RUNGE_KUTTA; method <= MB_ROSENBROCK; method++)
        for (int i = 0; i < 3; i++) {
            mb_instance *m = start(make_model((mb_model){.ns = 1, .derivative.call = pulse,
                                                         .tangent.call = pulse_tangent}),
                                   method, tolerances[i]);
            step_to(m, 4, 1);
            step_to(m, 5.5, 1);
            near(m->now.s[0], 0.5, 100 * tolerances[i], "area");
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
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-6);
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
    for (int method = MB_RUNGE_KUTTA; method <= MB_FIXED_STEP; method += 2) {
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
                                                       .extra = {MB_EXTRA_kept}}});
    mb_instance *m = start(model, MB_RUNGE_KUTTA, 1e-6);
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
    tested_model = turning();
    expect(!mb_create("f", "i", "other", MB_CO_SIMULATION, message), "another token is accepted");
    expect(strstr(message, "other") && strstr(message, "token"), "\"%s\" says too little", message);
    expect(!mb_create("f", "i", NULL, MB_CO_SIMULATION, message), "no token is accepted");
}
