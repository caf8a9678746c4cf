/* Control of the error: tolerances, norms, estimates, sizes of steps. */
#include "model.h"

static const double PI = 3.14159265358979323846;

static int calls; /* of a right-hand side */

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
        make_model((mb_model){.ns = 2, .derivative.call = turn, .change.call = turn_tangent});
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
    keeps_tolerance(MB_METHOD_RK45);
    keeps_tolerance(MB_METHOD_rosenbrock);
}

CHECK(the_importer_s_tolerance_comes_first)
{
    mb_model *model = turning();
    mb_instance *m = start(model, MB_METHOD_rosenbrock, 1e-3), *own = start(model, MB_METHOD_rosenbrock, 1e-8);
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
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-30), *same = start(model, MB_METHOD_RK45, 1e-13);
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
    chooses(MB_METHOD_RK45, 1e-7, &mb_method_RK45);
    chooses(MB_METHOD_RK45, 0.99e-7, &mb_method_DOP853);
    chooses(MB_METHOD_rosenbrock, 1e-9, &mb_method_rosenbrock);
    chooses(MB_METHOD_classical, 1e-9, &mb_method_classical);
}

CHECK(the_norm_of_an_error)
{
    mb_model *model = turning();
    variable(model, MB_STATE, 1)->nominal = 3;
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-4);
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
                                      .change.call = power_tangent});
    variable(model, MB_PARAMETER, 0)->start = n;
    mb_instance *m = start(model, MB_METHOD_RK45, 1);
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
            near(estimate(&mb_method_RK45, n, h), n < 4 ? 0 : right, 1e-15, "estimate");
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
        near(estimate(&mb_method_DOP853, n, h) / right, 1, 1e-10, "estimate");
    }
}

CHECK(estimates_vanish_where_the_embedded_solution_is_exact)
{
    for (int n = 0; n < 5; n++)
        near(estimate(&mb_method_DOP853, n, 0.7), 0, 1e-14, "estimate of order 8");
    for (int n = 0; n < 3; n++)
        near(estimate(&mb_method_rosenbrock, n, 0.7), 0, 1e-14, "estimate of rosenbrock");
    for (int n = 0; n < 4; n++)
        near(estimate(&mb_method_Rodas5P, n, 0.7), 0, 1e-13, "estimate of Rodas5P");
    expect(estimate(&mb_method_DOP853, 6, 0.7) > 1e-8, "no estimate of order 8");
    expect(estimate(&mb_method_rosenbrock, 3, 0.7) > 1e-4, "no estimate of rosenbrock");
    expect(estimate(&mb_method_Rodas5P, 4, 0.7) > 1e-4, "no estimate of Rodas5P");
}

CHECK(estimates_grow_as_the_step_size_control_expects)
{
    const mb_method *methods[] = {&mb_method_RK45, &mb_method_DOP853, &mb_method_rosenbrock,
                                  &mb_method_Rodas5P};
    for (int i = 0; i < 4; i++) {
        const double n = 1 / methods[i]->exponent - 1; /* the lowest power that is seen */
        const double ratio = estimate(methods[i], 9, 0.5) / estimate(methods[i], 9, 0.25);
        near(log2(ratio), 10, 1e-6, "all powers of one step");
        if (i != 1)
            near(log2(estimate(methods[i], n, 0.5) / estimate(methods[i], n, 0.25)), n + 1, 1e-6,
                 "order");
    }
}

static int calls_of_fixed_steps(double step_size)
{
    mb_model *model = turning();
    solver(model, 2)->start = step_size;
    mb_instance *m = start(model, MB_METHOD_classical, 1e-6);
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
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6), *fresh = start(model, MB_METHOD_RK45, 1e-6);
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
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_rosenbrock; method++)
        for (int i = 0; i < 3; i++) {
            mb_instance *m = start(make_model((mb_model){.ns = 1, .derivative.call = pulse,
                                                         .change.call = pulse_tangent}),
                                   method, tolerances[i]);
            step_to(m, 4, 1);
            step_to(m, 5.5, 1);
            near(m->now.s[0], 0.5, 100 * tolerances[i], "area");
            mb_free(m);
        }
}
