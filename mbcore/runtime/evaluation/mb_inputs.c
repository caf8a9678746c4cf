/* Inputs as functions of time in a step of Co-Simulation, and inputs that come with another one
 * for their rate.
 *
 * Stages, searches for events and everything else that evaluates the model at another time within a
 * step change the time by mb_go_to, so that inputs always belong to that time. If the importer has set
 * derivatives, inputs are extrapolated by a Taylor polynomial about the beginning of the step. It
 * holds for that step alone; its derivatives at the end are stored, because derivatives of outputs
 * depend on them.
 */
#include <math.h>
#include <string.h>

#include "mb_inputs.h"
#include "mb_tolerances.h"

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static double largest(double a, double b, double c)
{
    return larger(fabs(a), larger(fabs(b), fabs(c)));
}

/* Whether the change of an input differs much from its rate, or slightly for some time. Inputs of
 * coupled simulations that are constant over steps lag behind, by an error that decreases with the
 * step, and have noise within tolerances:
 * - the difference is compared with the largest rate so far, because where a rate passes through
 *   zero the lag exceeds any fraction of it;
 * - when a motion begins, rates may differ much and agree in the next steps; after a jump they never
 *   do. */
static int contradicts(mb_rate_check *seen, double before, double now, double rate_before,
                       double rate_now, double t, double span, mb_span over)
{
    const double slope = (now - before) / span;
    const double apart =
        larger(slope - larger(rate_before, rate_now), smaller(rate_before, rate_now) - slope);
    const double size = larger(fabs(before), fabs(now));
    const double noise = (MB_RATE_FLOOR + MB_RATE_NOISE * size) / span;
    seen->largest = larger(seen->largest, largest(slope, rate_before, rate_now));
    const double most = MB_RATE_FAR * seen->largest + noise;
    if (seen->far > 0 && !(apart > most) && fabs(rate_now - seen->slope) > most)
        return 1;
    seen->far = apart > most ? seen->far + 1 : 0;
    seen->doubts = apart > MB_RATE_AGREES * seen->largest + noise ? seen->doubts + 1 : 0;
    seen->since = t - span;
    seen->until = t;
    seen->slope = slope;
    seen->rate = rate_now;
    return seen->far >= (over == MB_OVER_CONSTANT_INPUTS ? MB_RATE_FAR_STEPS : 1) ||
           seen->doubts >= MB_RATE_DOUBTS;
}

/* Warns once of each input whose change since a time contradicts the rate that is given with it;
 * the inputs were `before` then. */
void mb_compare_rates(mb_instance *m, double since, const double *before, mb_span over)
{
    const mb_model *model = MB_MODEL;
    const double span = m->now.t - since, *u = m->now.u;
    if (!(span > 0))
        return;
    for (int i = 0; i < model->input_rates; i++) {
        const int input = model->input_rate[i].input, rate = model->input_rate[i].rate;
        mb_rate_check *seen = &m->rate_check[i];
        if (seen->warned || (over == MB_OVER_SOLVER_STEP && before[rate] != u[rate]) ||
            !contradicts(seen, before[input], u[input], before[rate], u[rate], m->now.t, span, over))
            continue;
        mb_run(m, &model->rate_use, &m->now, m->input_use, NULL);
        if (m->input_use[input] == 0)
            continue;
        seen->warned = 1;
        const char *of = mb_name_of(model, MB_INPUT, input), *by = mb_name_of(model, MB_INPUT, rate);
        mb_warn(m,
                "%s changes by %.6g per second from t = %.9g s to t = %.9g s, but its rate %s is "
                "%.6g there; motions and forces take both as given. If %s is the derivative of %s, "
                "this is the error of inputs that are held over a step: shorter steps make it "
                "smaller. If not, connect it",
                of, seen->slope, seen->since, seen->until, by, seen->rate, by, of);
    }
}

/* Whether a value can be an input's derivative of an order. */
mb_status mb_check_input_derivative(mb_instance *m, unsigned reference, int order, double value)
{
    const mb_variable *v = mb_referenced(m, reference);
    if (!v)
        return MB_ERROR;
    if (v->kind != MB_INPUT || v->type != MB_REAL)
        return mb_refuse(m, MB_ERROR,
                         "%s has no derivative that can be set; give those of real inputs", v->name);
    if (order < 1 || order > MB_ORDERS)
        return mb_refuse(m, MB_ERROR,
                         "the derivative of order %d of %s cannot be set; orders 1 to %d can", order,
                         v->name, MB_ORDERS);
    if (isfinite(value))
        return MB_OK;
    return mb_refuse(m, MB_DISCARD,
                     "the derivative %g of order %d of %s is not finite at t = %.9g s; it stays as it "
                     "was",
                     value, order, v->name, m->now.t);
}

static void clear_derivatives(mb_instance *m)
{
    memset(m->input_derivative, 0, (size_t)(MB_ORDERS * MB_MODEL->nu) * sizeof(double));
    m->given_derivatives = MB_NO_DERIVATIVES;
}

/* Takes a derivative that was checked, for the next step. */
void mb_set_input_derivative(mb_instance *m, unsigned reference, int order, double value)
{
    if (m->given_derivatives != MB_DERIVATIVES_AT_BEGIN)
        clear_derivatives(m);
    m->given_derivatives = MB_DERIVATIVES_AT_BEGIN;
    m->input_derivative[MB_MODEL->variable[reference].index * MB_ORDERS + order - 1] = value;
}

/* The derivative of an order of an input, 0 being its value, a time after the step's beginning. */
static double extrapolated(const mb_instance *m, int input, int order, double after)
{
    const double *derivative = m->input_derivative + input * MB_ORDERS;
    double sum = 0;
    for (int k = MB_ORDERS; k >= 1 && k >= order; k--)
        sum = derivative[k - 1] + sum * after / (k + 1 - order);
    return order > 0 ? sum : m->saved_now.u[input] + sum * after;
}

/* Gives inputs the values that they have at the present time within a step. */
void mb_move_inputs(mb_instance *m)
{
    if (m->input_mode == MB_INPUTS_REQUESTED)
        mb_request_inputs(m);
    else if (m->input_mode == MB_INPUTS_EXTRAPOLATED)
        for (int i = 0; i < MB_MODEL->nu; i++)
            m->now.u[i] = extrapolated(m, i, 0, m->now.t - m->saved_now.t);
}

/* The rates of inputs now: of their polynomials, as mb_estimate_input_rates has found them, or as
 * the last step has left them. */
void mb_input_rates(const mb_instance *m, double *rate)
{
    const double after = m->input_mode == MB_INPUTS_EXTRAPOLATED ? m->now.t - m->saved_now.t : 0;
    for (int i = 0; i < MB_MODEL->nu; i++)
        rate[i] = extrapolated(m, i, 1, after);
}

/* Whether inputs stay finite where they are extrapolated over a step of length h; warns of those that
 * leave their ranges. */
static mb_status check_extrapolation(mb_instance *m, double h)
{
    enum { PLACES = 8 };
    for (int i = 0; i < MB_MODEL->variables; i++) {
        const mb_variable *v = &MB_MODEL->variable[i];
        for (int k = 1; v->kind == MB_INPUT && k <= PLACES; k++) {
            const double after = h * k / PLACES, value = extrapolated(m, v->index, 0, after);
            const double t = m->saved_now.t + after;
            if (!isfinite(value))
                return mb_refuse(m, MB_DISCARD,
                                 "the derivatives that are given with %s bring it to %g at t = %.9g s, "
                                 "which is not finite; take a shorter step or other derivatives",
                                 v->name, value, t);
            mb_warn_limit(m, v, value, t);
        }
    }
    return MB_OK;
}

/* Begins a communication step from saved_now to a time. */
mb_status mb_begin_inputs(mb_instance *m, double end)
{
    if (m->given_derivatives == MB_DERIVATIVES_AT_END)
        clear_derivatives(m);
    m->update_from = m->saved_now.t;
    m->update_until = end;
    m->input_mode = m->gives_inputs ? MB_INPUTS_REQUESTED : MB_INPUTS_CONSTANT;
    if (m->given_derivatives == MB_NO_DERIVATIVES)
        return MB_OK;
    m->input_mode = MB_INPUTS_EXTRAPOLATED;
    return check_extrapolation(m, end - m->saved_now.t);
}

/* Ends a step: after success the derivatives are those at its end; after a failure they remain as they
 * were, because the step may be repeated. */
void mb_end_inputs(mb_instance *m, int succeeded)
{
    const double after = m->now.t - m->saved_now.t;
    const int moving = m->input_mode;
    m->input_mode = MB_INPUTS_CONSTANT;
    if (moving == MB_INPUTS_CONSTANT || !succeeded)
        return;
    m->given_derivatives = MB_DERIVATIVES_AT_END;
    if (moving == MB_INPUTS_REQUESTED)
        return;
    for (int i = 0; i < MB_MODEL->nu; i++)
        for (int order = 1; order <= MB_ORDERS; order++)
            m->input_derivative[i * MB_ORDERS + order - 1] = extrapolated(m, i, order, after);
}
