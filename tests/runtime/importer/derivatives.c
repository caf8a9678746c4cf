/* Partial derivatives by value reference, of a model whose derivatives are written by hand:
 *
 *   s0' = p u - s0,  s1' = s0^2,  y = s0 s1 + sqrt(t),  s0 starts at u.
 */
#include "model.h"

static const mb_input_start AT_INPUT[] = {{0, 0}};

FUNCTION(rates)
{
    res[0][0] = arg[P][0] * arg[U][0] - arg[S][0];
    res[0][1] = arg[S][0] * arg[S][0];
}

FUNCTION(output) { res[0][0] = arg[S][0] * arg[S][1] + sqrt(*arg[T]); }

FUNCTION(change)
{
    const double *by = arg[EXTRA], *s = arg[S]; /* s0, s1, t, u, p */
    res[0][0] = arg[P][0] * by[3] + arg[U][0] * by[4] - by[0];
    res[0][1] = 2 * s[0] * by[0];
    if (res[1])
        res[1][0] = by[0] * s[1] + s[0] * by[1] + by[2] / (2 * sqrt(*arg[T]));
}

FUNCTION(adjoint)
{
    const double *rate = arg[EXTRA], y = arg[EXTRA + 1][0], *s = arg[S];
    const double result[] = {-rate[0] + 2 * s[0] * rate[1] + y * s[1], y * s[0],
                             y / (2 * sqrt(*arg[T])), arg[P][0] * rate[0], arg[U][0] * rate[0]};
    memcpy(res[0], result, sizeof result);
}

static mb_instance *at(double t)
{
    mb_model *model = make_model((mb_model){.ns = 2,
                                            .nu = 1,
                                            .np = 1,
                                            .ny = 1,
                                            .ne = 1,
                                            .nd = 2,
                                            .input_starts = 1,
                                            .input_start = AT_INPUT,
                                            .derivative.call = rates,
                                            .output.call = output,
                                            .change.call = change,
                                            .adjoint_change.call = adjoint});
    variable(model, MB_STATE, 0)->start = variable(model, MB_INPUT, 0)->start = 3;
    variable(model, MB_STATE, 1)->start = 5;
    variable(model, MB_PARAMETER, 0)->start = 7;
    variable(model, MB_PARAMETER, 0)->tunable = 0;
    variable(model, MB_DISCRETE, 0)->type = MB_BOOLEAN;
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    expect(mb_set_experiment(m, t, 0, 0) == MB_OK, "the time is taken");
    expect(mb_enter_initialization(m) == MB_OK, "it initializes");
    return m;
}

static void run(mb_instance *m)
{
    expect(mb_exit_initialization(m) == MB_OK, "it is initialized");
    expect(mb_leave_event_mode(m, MB_CONTINUOUS_TIME) == MB_OK, "it runs");
}

static unsigned of(mb_kind kind, int index)
{
    return reference(MB_MODEL, kind, index);
}

static double directional(mb_instance *m, unsigned unknown, unsigned known)
{
    const mb_partial partial = {&unknown, &known, 1, 1, 1};
    const double seed = 2;
    double result = NAN;
    expect(mb_directional(m, &partial, &seed, &result) == MB_OK, "%s", m->message);
    return result / 2;
}

static double transposed(mb_instance *m, unsigned unknown, unsigned known)
{
    const mb_partial partial = {&unknown, &known, 1, 1, 1};
    const double seed = 2;
    double result = NAN;
    expect(mb_adjoint(m, &partial, &seed, &result) == MB_OK, "%s", m->message);
    return result / 2;
}

static void both(mb_instance *m, unsigned unknown, unsigned known, double right)
{
    near(directional(m, unknown, known), right, 1e-15, "directional derivative");
    near(transposed(m, unknown, known), right, 1e-15, "adjoint derivative");
}

CHECK(derivatives_of_rates_outputs_and_states)
{
    mb_instance *m = at(4);
    run(m);
    both(m, of(MB_DERIVATIVE, 0), of(MB_STATE, 0), -1);
    both(m, of(MB_DERIVATIVE, 0), of(MB_INPUT, 0), 7);
    both(m, of(MB_DERIVATIVE, 0), of(MB_PARAMETER, 0), 3);
    both(m, of(MB_DERIVATIVE, 1), of(MB_STATE, 0), 6);
    both(m, of(MB_OUTPUT, 0), of(MB_STATE, 0), 5);
    both(m, of(MB_OUTPUT, 0), of(MB_TIME, 0), 0.25);
    both(m, of(MB_OUTPUT, 0), of(MB_INPUT, 0), 0);
    both(m, of(MB_STATE, 1), of(MB_STATE, 1), 1);
    both(m, of(MB_STATE, 1), of(MB_STATE, 0), 0);
    both(m, of(MB_DISCRETE, 1), of(MB_STATE, 0), 0);
    both(m, of(MB_DERIVATIVE, 0), of(MB_PARAMETER, 2), 0); /* solver.tolerance */
    mb_free(m);
}

CHECK(states_that_start_at_an_input_follow_it)
{
    mb_instance *m = at(4);
    both(m, of(MB_STATE, 0), of(MB_INPUT, 0), 1);
    both(m, of(MB_DERIVATIVE, 0), of(MB_INPUT, 0), 6);
    both(m, of(MB_DERIVATIVE, 1), of(MB_INPUT, 0), 6);
    both(m, of(MB_OUTPUT, 0), of(MB_INPUT, 0), 5);
    both(m, of(MB_OUTPUT, 0), of(MB_STATE, 1), 3);
    both(m, of(MB_DERIVATIVE, 0), of(MB_PARAMETER, 0), 3);
    mb_free(m);
}

/* s1 starts at p2 unless it was set itself, which p3 holds (both are the solver's otherwise). */
static const mb_choice DECIDED[] = {{.kind = MB_STATE, .index = 1, .own = 3, .first = 3, .second = 2, .idle = 5}};

CHECK(states_follow_parameters_that_give_their_start_values)
{
    mb_instance *m = at(4);
    mb_model changed = *MB_MODEL;
    changed.choices = 1;
    changed.choice = DECIDED;
    tested_model = &changed;
    const unsigned s1 = of(MB_STATE, 1), y = of(MB_OUTPUT, 0), p2 = of(MB_PARAMETER, 2);
    m->now.p[3] = 5;
    both(m, s1, p2, 1);
    both(m, y, p2, 3);
    m->now.p[3] = 6;
    both(m, s1, p2, 0);
    both(m, s1, s1, 1);
    mb_free(m);
}

CHECK(several_variables_add_up)
{
    mb_instance *m = at(4);
    run(m);
    const unsigned states[] = {of(MB_STATE, 0), of(MB_STATE, 1), of(MB_STATE, 0)};
    const unsigned unknown[] = {of(MB_OUTPUT, 0), of(MB_DERIVATIVE, 1)};
    const mb_partial partial = {unknown, states, 2, 3, 1};
    const double seed[] = {1, 10, 100}, back[] = {2, 1};
    double change[2], sensitivity[3];
    expect(mb_directional(m, &partial, seed, change) == MB_OK, "%s", m->message);
    near(change[0], 5 * 101 + 3 * 10, 1e-12, "output");
    near(change[1], 6 * 101, 1e-12, "rate");
    expect(mb_adjoint(m, &partial, back, sensitivity) == MB_OK, "%s", m->message);
    near(sensitivity[0], 2 * 5 + 6, 1e-13, "by the first state");
    near(sensitivity[1], 2 * 3, 1e-13, "by the second state");
    near(sensitivity[2], 2 * 5 + 6, 1e-13, "by the first state again");
    mb_free(m);
}

static void refused(mb_instance *m, unsigned unknown, unsigned known, int by_fixed, double seed,
                    mb_status status, const char *words)
{
    const mb_partial partial = {&unknown, &known, 1, 1, by_fixed};
    double result = 123;
    expect(mb_directional(m, &partial, &seed, &result) == status, "directional: %s", words);
    says(m, words);
    expect(mb_adjoint(m, &partial, &seed, &result) == status, "adjoint: %s", words);
    expect(result == 123, "a refused call gives nothing");
}

CHECK(what_has_no_derivative_is_refused_by_name)
{
    mb_instance *m = at(4);
    const unsigned rate = of(MB_DERIVATIVE, 0), s0 = of(MB_STATE, 0), u = of(MB_INPUT, 0);
    const unsigned p = of(MB_PARAMETER, 0);
    refused(m, rate, s0, 1, 1, MB_ERROR, "s0 starts at the value of u0");
    run(m);
    refused(m, rate, p, 0, 1, MB_ERROR, "p0 is fixed");
    refused(m, rate, of(MB_OUTPUT, 0), 1, 1, MB_ERROR, "y0 is calculated");
    refused(m, of(MB_INDICATOR, 0), s0, 1, 1, MB_ERROR, "g0 is an event indicator");
    refused(m, u, s0, 1, 1, MB_ERROR, "u0 is set");
    refused(m, of(MB_DISCRETE, 0), s0, 1, 1, MB_ERROR, "d0 is not a real variable");
    refused(m, 4711, s0, 1, 1, MB_ERROR, "4711 does not exist");
    refused(m, rate, s0, 1, NAN, MB_DISCARD, "the seed of");
    mb_free(m);
}

CHECK(a_derivative_that_is_not_finite_is_told)
{
    mb_instance *m = at(0);
    run(m);
    refused(m, of(MB_OUTPUT, 0), of(MB_TIME, 0), 1, 1, MB_DISCARD, "is not finite");
    near(directional(m, of(MB_DERIVATIVE, 1), of(MB_STATE, 0)), 6, 1e-15, "another one");
    mb_free(m);
}
