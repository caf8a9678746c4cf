/* Derivatives by value reference: partial ones along a direction and transposed, and those of
 * outputs in time, along the motion.
 *
 * What is known are states, time, inputs and parameters; what is unknown are derivatives, outputs,
 * and states themselves, the configuration following. Modes stay as they are, so that discrete
 * variables have zero derivatives. While initializing, states follow the inputs and the parameters
 * that give their start values. The generated functions count parameters without the solver's,
 * which change nothing.
 */
#include <math.h>
#include <string.h>

#include "mb_calls.h"

/* Of an array over (s, t, u, p), the solver's parameters included. */
static int known_size(const mb_model *n) { return n->ns + 1 + n->nu + n->np; }

static int known_place(const mb_instance *m, const mb_variable *v)
{
    const mb_model *n = MB_MODEL;
    const int started = v->kind == MB_PARAMETER ? mb_started_state(m, v->index) : -1;
    if (started >= 0)
        return started;
    switch (v->kind) {
    case MB_STATE: return v->index;
    case MB_TIME: return n->ns;
    case MB_INPUT: return n->ns + 1 + v->index;
    case MB_PARAMETER: return n->ns + 1 + n->nu + v->index;
    default: return -1;
    }
}

static mb_status check_real(mb_instance *m, unsigned reference)
{
    const mb_variable *v = mb_referenced(m, reference);
    if (!v)
        return MB_ERROR;
    if (v->type == MB_REAL)
        return MB_OK;
    return mb_refuse(m, MB_ERROR, "%s is not a real variable: there are no derivatives of or by it",
                     v->name);
}

static mb_status check_known(mb_instance *m, unsigned reference, int by_fixed)
{
    const mb_status status = check_real(m, reference);
    if (status)
        return status;
    const mb_variable *v = &MB_MODEL->variable[reference];
    const int initializing = m->mode == MB_INITIALIZATION;
    if (known_place(m, v) < 0)
        return mb_refuse(m, MB_ERROR,
                         "%s is calculated: derivatives are by states, time, inputs and parameters",
                         v->name);
    if (v->kind == MB_STATE && initializing && mb_start_input(MB_MODEL, v->index) >= 0)
        return mb_refuse(m, MB_ERROR,
                         "%s starts at the value of %s while initializing; take derivatives by that",
                         v->name,
                         mb_name_of(MB_MODEL, MB_INPUT, mb_start_input(MB_MODEL, v->index)));
    if (v->kind == MB_PARAMETER && !v->tunable && !initializing && !by_fixed)
        return mb_refuse(m, MB_ERROR,
                         "parameter %s is fixed: in FMI 2.0 there are derivatives by it in "
                         "Initialization Mode only; use FMI 3.0",
                         v->name);
    return MB_OK;
}

static mb_status check_unknown(mb_instance *m, unsigned reference)
{
    const mb_status status = check_real(m, reference);
    if (status)
        return status;
    const mb_variable *v = &MB_MODEL->variable[reference];
    switch (v->kind) {
    case MB_DERIVATIVE:
    case MB_OUTPUT:
    case MB_DISCRETE:
    case MB_STATE: return MB_OK;
    case MB_SENSITIVITY:
        return mb_refuse(m, MB_ERROR, "%s is a derivative itself: there is none of it", v->name);
    case MB_INDICATOR:
        return mb_refuse(m, MB_ERROR,
                         "%s is an event indicator: FMI has no derivatives of these", v->name);
    default:
        return mb_refuse(m, MB_ERROR,
                         "%s is set, not calculated: there are derivatives of derivatives, outputs "
                         "and states",
                         v->name);
    }
}

static mb_status check_seed(mb_instance *m, mb_elements e, const double *seed)
{
    while (mb_next(m, &e))
        if (!isfinite(seed[e.place]))
            return mb_refuse(m, MB_DISCARD, "the seed of %s, %g, is not finite",
                             MB_MODEL->variable[e.variable].name, seed[e.place]);
    return MB_OK;
}

static mb_elements unknowns(const mb_partial *of) { return mb_elements_of(of->unknown, of->unknowns); }
static mb_elements knowns(const mb_partial *of) { return mb_elements_of(of->known, of->knowns); }

static mb_status check_partial(mb_instance *m, const mb_partial *of)
{
    mb_status status = MB_OK;
    for (mb_elements e = unknowns(of); !status && mb_next(m, &e);)
        status = check_unknown(m, e.variable);
    for (mb_elements e = knowns(of); !status && mb_next(m, &e);)
        status = check_known(m, e.variable, of->by_fixed);
    return status;
}

/* While initializing, events may assign numbers that follow from start values, which no derivative
 * here does. */
static mb_status refuse_assigned(mb_instance *m)
{
    for (int i = 0; m->mode == MB_INITIALIZATION && i < MB_MODEL->variables; i++) {
        const mb_variable *v = &MB_MODEL->variable[i];
        if (v->kind == MB_DISCRETE && v->type == MB_REAL && m->now.d[v->index] != v->start)
            return mb_refuse(m, MB_DISCARD,
                             "an event at the start sets %s to %.9g, which may follow from the start "
                             "values; take derivatives after Initialization Mode, where it stays",
                             v->name, m->now.d[v->index]);
    }
    return MB_OK;
}

/* Initializes and configures the point, with all requirements met. */
static mb_status prepare_derivatives(mb_instance *m)
{
    mb_prepare_undo(m);
    mb_status status = mb_initialize(m);
    if (!status)
        status = mb_configure(m);
    if (!status)
        status = refuse_assigned(m);
    return status ? status : mb_check(m);
}

static mb_status fail_derivative(mb_instance *m, unsigned reference, const char *words)
{
    return mb_fail(m,
                   "%s %s is not finite at t = %.9g s: the equations have no derivative here; "
                   "check states, inputs and parameters",
                   words, MB_MODEL->variable[reference].name, m->now.t);
}

/* The place of the input or parameter that gives a state's start value at present, or -1. */
static int giver(const mb_instance *m, int state)
{
    const mb_model *n = MB_MODEL;
    const int input = mb_start_input(n, state);
    const mb_choice *c = mb_choice_of(n, MB_STATE, state);
    const int given = c && m->now.p[c->first] != c->idle;
    if (c && (input < 0 || given))
        return n->ns + 1 + n->nu + (given ? c->first : c->second);
    return input < 0 || mb_effective_input(m, input) != m->now.u[input] ? -1 : n->ns + 1 + input;
}

static int takes_outputs(const mb_instance *m, const mb_partial *of)
{
    for (mb_elements e = unknowns(of); mb_next(m, &e);)
        if (MB_MODEL->variable[e.variable].kind == MB_OUTPUT)
            return 1;
    return 0;
}

/* Where the change of a variable is after a directional derivative; NULL: it does not change. */
static const double *change_of(const mb_instance *m, const mb_variable *v)
{
    return v->kind == MB_DERIVATIVE ? m->rate_change + v->index
           : v->kind == MB_OUTPUT   ? m->output_change + v->index
           : v->kind == MB_STATE    ? m->variation + v->index
                                    : NULL;
}

/* Both derivatives write their results only where all of them are finite. */
mb_status mb_directional(mb_instance *m, const mb_partial *of, const double *seed, double *result)
{
    const mb_model *n = MB_MODEL;
    mb_status status = check_partial(m, of);
    if (!status)
        status = check_seed(m, knowns(of), seed);
    if (!status)
        status = prepare_derivatives(m);
    if (status)
        return status;
    memset(m->variation, 0, (size_t)known_size(n) * sizeof(double));
    for (mb_elements e = knowns(of); mb_next(m, &e);)
        m->variation[known_place(m, &n->variable[e.variable])] += seed[e.place];
    if (m->mode == MB_INITIALIZATION)
        for (int i = 0; i < n->ns; i++)
            m->variation[i] += giver(m, i) < 0 ? 0 : m->variation[giver(m, i)];
    mb_run_change(m, &m->now, m->rate_change, takes_outputs(m, of) ? m->output_change : NULL);
    for (mb_elements e = unknowns(of); !status && mb_next(m, &e);) {
        const double *change = change_of(m, &n->variable[e.variable]);
        if (change && !isfinite(*change))
            status = fail_derivative(m, e.variable, "the directional derivative of");
    }
    for (mb_elements e = unknowns(of); !status && mb_next(m, &e);) {
        const double *change = change_of(m, &n->variable[e.variable]);
        result[e.place] = change ? *change : 0;
    }
    memset(m->variation, 0, (size_t)known_size(n) * sizeof(double));
    return status;
}

mb_status mb_adjoint(mb_instance *m, const mb_partial *of, const double *seed, double *result)
{
    const mb_model *n = MB_MODEL;
    double *adjoint = m->adjoint;
    mb_status status = check_partial(m, of);
    if (!status)
        status = check_seed(m, unknowns(of), seed);
    if (!status)
        status = prepare_derivatives(m);
    if (status)
        return status;
    memset(m->rate_seed, 0, (size_t)n->ns * sizeof(double));
    memset(m->output_seed, 0, (size_t)n->ny * sizeof(double));
    memset(adjoint, 0, (size_t)known_size(n) * sizeof(double));
    for (mb_elements e = unknowns(of); mb_next(m, &e);) {
        const mb_variable *v = &n->variable[e.variable];
        if (v->kind == MB_DERIVATIVE)
            m->rate_seed[v->index] += seed[e.place];
        else if (v->kind == MB_OUTPUT)
            m->output_seed[v->index] += seed[e.place];
    }
    mb_run(m, &n->adjoint_change, &m->now, adjoint, NULL);
    for (mb_elements e = unknowns(of); mb_next(m, &e);)
        if (n->variable[e.variable].kind == MB_STATE)
            adjoint[n->variable[e.variable].index] += seed[e.place];
    if (m->mode == MB_INITIALIZATION)
        for (int i = 0; i < n->ns; i++)
            if (giver(m, i) >= 0)
                adjoint[giver(m, i)] += adjoint[i];
    for (mb_elements e = knowns(of); !status && mb_next(m, &e);)
        if (!isfinite(adjoint[known_place(m, &n->variable[e.variable])]))
            status = fail_derivative(m, e.variable, "the adjoint derivative by");
    for (mb_elements e = knowns(of); !status && mb_next(m, &e);)
        result[e.place] = adjoint[known_place(m, &n->variable[e.variable])];
    return status;
}

static mb_status check_differentiable(mb_instance *m, unsigned reference, int order)
{
    const mb_variable *v = mb_referenced(m, reference);
    if (!v)
        return MB_ERROR;
    const mb_status access = mb_check_update_access(m, reference, 0);
    if (access)
        return access;
    const int calculated = v->kind == MB_OUTPUT || v->kind == MB_STATE || v->kind == MB_DERIVATIVE ||
                           v->kind == MB_DISCRETE;
    if (!calculated || v->type != MB_REAL)
        return mb_refuse(m, MB_ERROR,
                         "%s has no derivative that can be read; read those of real outputs", v->name);
    if (order == 1)
        return MB_OK;
    return mb_refuse(m, MB_ERROR, "the derivative of order %d of %s cannot be read; order 1 can",
                     order, v->name);
}

static double rate_of(const mb_instance *m, const mb_variable *v)
{
    switch (v->kind) {
    case MB_STATE: return m->rate[v->index];
    case MB_DERIVATIVE: return m->rate_rate[v->index];
    case MB_OUTPUT: return m->output_rate[v->index];
    default: return 0; /* discrete: it changes at events only */
    }
}

/* Calculates the time derivatives of all outputs. */
static mb_status calculate_rates(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    const mb_status status = mb_provide(m, MB_DERIVED);
    if (status)
        return status;
    memcpy(m->variation, m->rate, (size_t)model->ns * sizeof(double));
    m->variation[model->ns] = 1;
    mb_input_rates(m, m->variation + model->ns + 1);
    mb_run_change(m, &m->now, m->rate_rate, m->output_rate);
    memset(m->variation, 0, (size_t)(model->ns + 1 + model->nu) * sizeof(double));
    return MB_OK;
}

/* The derivatives with respect to time of outputs, all or none; an order counts for a whole array. */
mb_status mb_get_output_rates(mb_instance *m, const unsigned *references, const int *orders, size_t n,
                              double *values)
{
    mb_status status = MB_OK;
    for (mb_elements e = mb_elements_of(references, n); !status && mb_next(m, &e);)
        status = check_differentiable(m, e.variable, orders[e.reference - references - 1]);
    if (status || n == 0 || (status = calculate_rates(m)))
        return status;
    for (mb_elements e = mb_elements_of(references, n); mb_next(m, &e);) {
        const mb_variable *v = &MB_MODEL->variable[e.variable];
        if (!isfinite(rate_of(m, v)))
            return mb_fail(m,
                           "the derivative of %s is not finite at t = %.9g s: the output has a corner "
                           "there, or the configuration is singular; go on without it",
                           v->name, m->now.t);
    }
    for (mb_elements e = mb_elements_of(references, n); mb_next(m, &e);)
        values[e.place] = rate_of(m, &MB_MODEL->variable[e.variable]);
    return MB_OK;
}
