/* Inputs that follow a course over a communication step of FMI 2.0. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdio.h>

static char said[2 * MB_MESSAGE];

static void listen(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category;
    snprintf(said, sizeof said, "%s", message);
}

/* s0' = -s0^2 + u0, where u0 is the input, or built in: 1 + 2 t - 3 t^2 + t^3. */
static double built_in(double t) { return 1 + t * (2 + t * (-3 + t)); }
static double built_in_slope(double t) { return 2 + t * (-6 + 3 * t); }

FUNCTION(driven) { res[0][0] = arg[U][0] - arg[S][0] * arg[S][0]; }
FUNCTION(driven_by_time) { res[0][0] = built_in(arg[T][0]) - arg[S][0] * arg[S][0]; }
FUNCTION(change) { res[0][0] = -2 * arg[S][0] * arg[EXTRA][0] + arg[EXTRA][2]; }

FUNCTION(change_in_time)
{
    res[0][0] = -2 * arg[S][0] * arg[EXTRA][0] + built_in_slope(arg[T][0]) * arg[EXTRA][1];
}

static fmi2Component follow(mb_model *model, int method)
{
    static fmi2CallbackFunctions functions = {listen, NULL, NULL, NULL, NULL};
    tested_model = model;
    solver(model, 0)->start = method;
    solver(model, 1)->start = 1e-9;
    said[0] = '\0';
    fmi2Component c = fmi2Instantiate("name", fmi2CoSimulation, "token", "", &functions, 0, 1);
    expect(c && !fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0), "%s", said);
    expect(!fmi2EnterInitializationMode(c) && !fmi2ExitInitializationMode(c), "%s", said);
    return c;
}

static fmi2Status set_input(fmi2Component c, int input, double value)
{
    const fmi2ValueReference vr = reference(tested_model, MB_INPUT, input);
    return fmi2SetReal(c, &vr, 1, &value);
}

static fmi2Status set_derivatives(fmi2Component c, int input, int n, const double *values)
{
    const fmi2ValueReference one = reference(tested_model, MB_INPUT, input);
    const fmi2ValueReference vr[] = {one, one, one, one, one};
    const fmi2Integer order[] = {1, 2, 3, 4, 5};
    return fmi2SetRealInputDerivatives(c, vr, (size_t)n, order, values);
}

static void set_course(fmi2Component c, double t)
{
    const double derivatives[] = {built_in_slope(t), -6 + 6 * t, 6};
    expect(!set_input(c, 0, built_in(t)) && !set_derivatives(c, 0, 3, derivatives), "%s", said);
}

static double get(fmi2Component c, mb_kind kind)
{
    const fmi2ValueReference vr = reference(tested_model, kind, 0);
    double value = NAN;
    expect(!fmi2GetReal(c, &vr, 1, &value), "%s", said);
    return value;
}

CHECK(an_input_on_a_course_acts_as_one_that_is_built_in)
{
    const double steps[] = {0.5, 0.125, 0.75, 0.0625};
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method++) {
        double right[4], t = 0;
        mb_model *model = make_model((mb_model){.ns = 1, .derivative.call = driven_by_time,
                                                .change.call = change_in_time});
        fmi2Component c = follow(model, method);
        for (int i = 0; i < 4; t += steps[i++]) {
            expect(!fmi2DoStep(c, t, steps[i], fmi2True), "%s", said);
            right[i] = get(c, MB_STATE);
        }
        fmi2FreeInstance(c);
        model = make_model((mb_model){.ns = 1, .nu = 1, .derivative.call = driven,
                                      .change.call = change});
        c = follow(model, method);
        for (int i = t = 0; i < 4; t += steps[i++]) {
            set_course(c, t);
            expect(!fmi2DoStep(c, t, steps[i], fmi2True), "%s", said);
            near(get(c, MB_STATE), right[i], 1e-14, "state");
            near(get(c, MB_INPUT), built_in(t + steps[i]), 1e-14, "input at the end");
        }
        fmi2FreeInstance(c);
    }
}

FUNCTION(as_given)
{
    res[0][0] = arg[U][0];
    res[0][1] = arg[U][1];
}

static mb_model *integrators(void)
{
    return make_model((mb_model){.ns = 2, .nu = 2, .derivative.call = as_given});
}

CHECK(a_course_holds_for_one_step)
{
    const double slope = 2, bend[] = {0, 3};
    fmi2Component c = follow(integrators(), MB_METHOD_RK45);
    mb_instance *m = c;
    expect(!set_derivatives(c, 0, 1, &slope) && !set_input(c, 0, 1), "%s", said);
    expect(!set_input(c, 1, -1), "%s", said);
    expect(!fmi2DoStep(c, 0, 0.5, fmi2True), "%s", said);
    near(m->now.s[0], 0.75, 1e-15, "on the course");
    near(m->now.s[1], -0.5, 1e-15, "held");
    near(m->now.u[0], 2, 0, "at the end of the course");
    expect(!fmi2DoStep(c, 0.5, 0.5, fmi2True), "%s", said);
    near(m->now.s[0], 1.75, 1e-15, "held where the course ended");
    expect(!set_derivatives(c, 0, 2, bend), "%s", said);
    expect(!fmi2DoStep(c, 1, 1, fmi2True), "%s", said);
    near(m->now.s[0], 1.75 + 2 + 0.5, 1e-14, "on a course without the slope of the old one");
    expect(!set_derivatives(c, 0, 1, &slope) && !fmi2Reset(c), "%s", said);
    expect(!fmi2EnterInitializationMode(c) && !fmi2ExitInitializationMode(c), "%s", said);
    expect(!set_input(c, 0, 1) && !fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    near(m->now.s[0], 1, 1e-15, "after a reset");
    fmi2FreeInstance(c);
}

FUNCTION(below_two)
{
    res[0][0] = 2 - arg[U][0];
    res[1][0] = arg[U][0];
}

CHECK(a_step_that_failed_is_repeated_shorter_on_the_same_course)
{
    const double slope = 4;
    mb_model *model = make_model((mb_model){.ns = 2, .nu = 2, .nq = 1, .derivative.call = as_given,
                                            .require.call = below_two});
    fmi2Component c = follow(model, MB_METHOD_RK45);
    mb_instance *m = c;
    expect(!set_derivatives(c, 0, 1, &slope), "%s", said);
    expect(fmi2DoStep(c, 0, 1, fmi2True) == fmi2Discard, "what must hold is violated");
    near(m->now.u[0] + m->now.s[0] + m->now.t, 0, 0, "input, state and time afterwards");
    expect(!fmi2DoStep(c, 0, 0.25, fmi2True), "%s", said);
    near(m->now.u[0], 1, 0, "input");
    near(m->now.s[0], 0.125, 1e-15, "state");
    fmi2FreeInstance(c);
}

FUNCTION(above_one) { res[0][0] = arg[U][0] - 1; }

FUNCTION(notes_the_time)
{
    res[0][0] = arg[D][0] + arg[EXTRA][0];
    res[0][1] = arg[EXTRA][0] > 0 ? arg[T][0] : arg[D][1];
}

CHECK(an_event_is_found_where_an_input_on_its_course_brings_it_about)
{
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method += 2) {
        const double slopes[] = {0, 5}; /* 1 + (0.4 t^2 - 0.1) at 0.5 */
        mb_model *model =
            make_model((mb_model){.ns = 2, .nu = 2, .nd = 2, .ne = 1, .derivative.call = as_given,
                                  .indicator.call = above_one, .update.call = notes_the_time});
        fmi2Component c = follow(model, method);
        mb_instance *m = c;
        expect(!set_input(c, 0, 0.9) && !set_derivatives(c, 0, 2, slopes), "%s", said);
        expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
        near(m->now.d[1], 0.2, 1e-12, "time of the event");
        near(m->now.s[0], 0.9 + 5.0 / 6, 1e-13, "state");
        fmi2FreeInstance(c);
    }
}

static void begin_again(fmi2Component c)
{
    expect(!fmi2Reset(c) && !fmi2EnterInitializationMode(c), "%s", said);
    expect(!fmi2ExitInitializationMode(c), "%s", said);
}

CHECK(courses_that_cannot_be_are_refused_by_name)
{
    const double one = 1, wrong = NAN, many[] = {1, 1, 1, 1, 1}, endless = 1e308;
    mb_model *model = integrators();
    fmi2Component c = follow(model, MB_METHOD_RK45);
    mb_instance *m = c;
    const fmi2ValueReference state = reference(model, MB_STATE, 0), none = 1000;
    const fmi2ValueReference inputs[] = {reference(model, MB_INPUT, 0), state};
    const fmi2Integer first[] = {1, 1}, zero = 0;
    expect(set_derivatives(c, 0, 5, many) == fmi2Error, "order 5 is taken");
    expect(strstr(said, "u0") && strstr(said, "order 5"), "%s", said);
    begin_again(c);
    expect(set_derivatives(c, 0, 1, &wrong) == fmi2Discard, "NaN is taken");
    expect(fmi2SetRealInputDerivatives(c, inputs, 1, &zero, &one) == fmi2Error, "order 0 is taken");
    begin_again(c);
    expect(fmi2SetRealInputDerivatives(c, &none, 1, first, &one) == fmi2Error, "%s", said);
    begin_again(c);
    expect(fmi2SetRealInputDerivatives(c, inputs, 2, first, many) == fmi2Error, "a state's is taken");
    expect(strstr(said, "s0") != NULL, "%s", said);
    expect(m->given_derivatives == MB_NO_DERIVATIVES, "a refused call has given an input a course");
    begin_again(c);
    expect(!set_derivatives(c, 1, 1, &endless) && !set_input(c, 1, 1e308), "%s", said);
    expect(fmi2DoStep(c, 0, 1, fmi2True) == fmi2Discard, "u1 is not finite at the end");
    expect(strstr(said, "u1") && strstr(said, "not finite"), "%s", said);
    expect(!fmi2DoStep(c, 0, 0.25, fmi2True), "%s", said);
    near(m->now.u[1], 1.25e308, 0, "input");
    fmi2FreeInstance(c);
}

static int warnings;

static void count(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name;
    snprintf(said, sizeof said, "%s", message);
    warnings += status == fmi2Warning && strcmp(category, "logStatusWarning") == 0;
}

FUNCTION(at_most) { res[0][0] = fmin(arg[U][0], 0.9); }

/* 0.5 + 2 t - 2 t^2 is above 0.9 in the middle of a step only, which a single step of the classical
 * method, by Simpson's rule, hits at 0.5 and accepts at 1. */
CHECK(an_input_that_leaves_its_range_on_its_course_is_told_once)
{
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method += 2) {
        static fmi2CallbackFunctions functions = {count, NULL, NULL, NULL, NULL};
        const double derivatives[] = {2, -4};
        const double exact = 0.5 + 1 - 2.0 / 3 - 2.0 / 3 * 0.1 * sqrt(0.2);
        const double right = method == MB_METHOD_classical ? (0.5 + 4 * 0.9 + 0.5) / 6 : exact;
        tested_model = make_model((mb_model){.ns = 1, .nu = 1, .derivative.call = at_most});
        variable(tested_model, MB_INPUT, 0)->maximum = 0.9;
        solver(tested_model, 0)->start = method;
        solver(tested_model, 1)->start = 1e-9;
        solver(tested_model, 2)->start = 1;
        warnings = 0;
        fmi2Component c =
            fmi2Instantiate("name", fmi2CoSimulation, "token", "", &functions, 0, 0);
        expect(c && !fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0), "%s", said);
        expect(!fmi2EnterInitializationMode(c) && !fmi2ExitInitializationMode(c), "%s", said);
        expect(!set_input(c, 0, 0.5) && !set_derivatives(c, 0, 2, derivatives), "%s", said);
        expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
        near(get(c, MB_STATE), right, 1e-7, "state");
        near(get(c, MB_INPUT), 0.5, 1e-15, "input at the end");
        expect(warnings == 1 && strstr(said, "u0 = 0.9") && strstr(said, "acts as 0.9"), "%s", said);
        expect(!set_input(c, 0, 7) && !fmi2DoStep(c, 1, 1, fmi2True), "%s", said);
        near(get(c, MB_INPUT), 7, 0, "input as it was set");
        expect(warnings == 1, "%d warnings", warnings);
        expect(!fmi2Reset(c) && !set_input(c, 0, 7) && warnings == 2, "%d after a reset", warnings);
        expect(set_input(c, 0, NAN) == fmi2Discard && warnings == 2, "%s", said);
        fmi2FreeInstance(c);
    }
}

/* An input that oscillates, with derivatives up to an order given at each point. */
static double error_of(int orders, int steps)
{
    double t = 0;
    fmi2Component c = follow(integrators(), MB_METHOD_RK45);
    for (int i = 0; i < steps; i++, t = 2.0 * i / steps) {
        const double derivatives[] = {-3 * sin(3 * t), -9 * cos(3 * t), 27 * sin(3 * t)};
        expect(!set_input(c, 0, cos(3 * t)), "%s", said);
        expect(!set_derivatives(c, 0, orders, derivatives), "%s", said);
        expect(!fmi2DoStep(c, t, 2.0 / steps, fmi2True), "%s", said);
    }
    const double error = fabs(get(c, MB_STATE) - sin(6) / 3);
    fmi2FreeInstance(c);
    return error;
}

CHECK(each_derivative_of_an_input_raises_the_order_by_one)
{
    for (int orders = 0; orders <= 3; orders++) {
        const double order = log2(error_of(orders, 200) / error_of(orders, 400));
        near(order, orders + 1, 0.1, "order");
    }
}

/* y0 = 3 s0 + u0 t, y1 = s0 / t. */
FUNCTION(outputs)
{
    res[0][0] = 3 * arg[S][0] + arg[U][0] * arg[T][0];
    res[0][1] = arg[S][0] / arg[T][0];
}

FUNCTION(change_of_outputs)
{
    const double ds = arg[EXTRA][0], dt = arg[EXTRA][1], du = arg[EXTRA][2], t = arg[T][0];
    res[0][0] = -2 * arg[S][0] * ds + du;
    if (!res[1])
        return;
    res[1][0] = 3 * ds + arg[U][0] * dt + du * t;
    res[1][1] = ds / t - arg[S][0] * dt / t / t;
}

static fmi2Status get_derivative(fmi2Component c, mb_kind kind, int index, int order, double *value)
{
    const fmi2ValueReference vr = reference(tested_model, kind, index);
    return fmi2GetRealOutputDerivatives(c, &vr, 1, &order, value);
}

CHECK(derivatives_of_outputs_are_those_along_the_motion)
{
    mb_model *model = make_model((mb_model){.ns = 1, .nu = 1, .ny = 2, .nd = 2,
                                            .derivative.call = driven, .output.call = outputs,
                                            .change.call = change_of_outputs});
    variable(model, MB_DISCRETE, 1)->type = MB_BOOLEAN;
    fmi2Component c = follow(model, MB_METHOD_RK45);
    double value = 7;
    set_course(c, 0);
    expect(get_derivative(c, MB_OUTPUT, 1, 1, &value) == fmi2Discard, "0 / 0 is finite");
    expect(strstr(said, "y1") != NULL, "%s", said);
    near(value, 7, 0, "a value that was refused");
    expect(!fmi2DoStep(c, 0, 0.5, fmi2True), "%s", said);
    const double s = get(c, MB_STATE), rate = built_in(0.5) - s * s;
    expect(!get_derivative(c, MB_STATE, 0, 1, &value), "%s", said);
    near(value, rate, 1e-15, "rate of the state");
    expect(!get_derivative(c, MB_OUTPUT, 0, 1, &value), "%s", said);
    near(value, 3 * rate + built_in(0.5) + built_in_slope(0.5) * 0.5, 1e-14, "rate of an output");
    expect(!get_derivative(c, MB_DERIVATIVE, 0, 1, &value), "%s", said);
    near(value, -2 * s * rate + built_in_slope(0.5), 1e-14, "rate of a rate");
    expect(!get_derivative(c, MB_DISCRETE, 0, 1, &value), "%s", said);
    near(value, 0, 0, "rate of what changes at events only");
    expect(!fmi2DoStep(c, 0.5, 0.5, fmi2True), "%s", said);
    expect(!get_derivative(c, MB_DERIVATIVE, 0, 1, &value), "%s", said);
    const double later = get(c, MB_STATE);
    near(value, -2 * later * (built_in(0.5) - later * later), 1e-14, "rate with the input held");
    expect(get_derivative(c, MB_OUTPUT, 0, 2, &value) == fmi2Error, "order 2 is given");
    expect(strstr(said, "y0") && strstr(said, "order 2"), "%s", said);
    expect(get_derivative(c, MB_INPUT, 0, 1, &value) == fmi2Error, "an input is an output");
    expect(get_derivative(c, MB_DISCRETE, 1, 1, &value) == fmi2Error, "a Boolean has a derivative");
    fmi2FreeInstance(c);
}

static const mb_input_start AT_INPUT[] = {{0, 0}};

CHECK(a_state_begins_at_its_input_as_this_acts_until_a_step_has_succeeded)
{
    mb_model *model =
        make_model((mb_model){.ns = 1, .nu = 1, .nq = 1, .input_starts = 1, .input_start = AT_INPUT,
                              .require.call = below_two});
    variable(model, MB_INPUT, 0)->minimum = -1;
    fmi2Component c = follow(model, MB_METHOD_RK45);
    near(get(c, MB_STATE), 0, 0, "at the input's start");
    expect(!set_input(c, 0, 3), "%s", said);
    expect(fmi2DoStep(c, 0, 1, fmi2True) == fmi2Discard, "what must hold is violated");
    near(get(c, MB_STATE), 0, 0, "as if there had been no step");
    expect(!set_input(c, 0, -7) && !fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    near(get(c, MB_STATE), -1, 0, "at the limit that acts");
    expect(!set_input(c, 0, 1) && !fmi2DoStep(c, 1, 1, fmi2True), "%s", said);
    near(get(c, MB_STATE), -1, 0, "in the second step");
    expect(!fmi2Reset(c) && !set_input(c, 0, -7), "%s", said);
    near(get(c, MB_STATE), -1, 0, "while start values change");
    fmi2FreeInstance(c);
}
