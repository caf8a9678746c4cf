/* Inputs that have more to them than a value: rates given beside, and a course over a step of
 * Co-Simulation.
 *
 * Whatever goes to another time on the way of a step does so by mb_go_to, which brings the inputs
 * along. A course is a polynomial about the beginning of the communication step; it holds for one
 * step, and what is left of it afterwards are the inputs' derivatives at the end.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"
#include "mb_tolerances.h"

static double largest(double a, double b, double c)
{
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

/* Whether an input has changed far otherwise than its rate, or somewhat and for some time. Held over steps,
 * inputs of coupled simulations are late, by an error that falls with the step, and noisy by tolerances:
 * - the difference is seen against the largest rate so far, for where a rate passes through zero, being
 *   late is all there is;
 * - where a motion begins, rates may be far off that come right in the next steps; a jump's never do. */
static int contradicts(mb_rate_watch *seen, double before, double now, double rate_before,
                       double rate_now, double t, double span, mb_over over)
{
    const double slope = (now - before) / span;
    const double apart =
        fmax(slope - fmax(rate_before, rate_now), fmin(rate_before, rate_now) - slope);
    const double size = fmax(fabs(before), fabs(now));
    const double noise = (MB_RATE_FLOOR + MB_RATE_NOISE * size) / span;
    seen->largest = fmax(seen->largest, largest(slope, rate_before, rate_now));
    const double most = MB_RATE_FAR * seen->largest + noise;
    if (seen->far > 0 && !(apart > most) && fabs(rate_now - seen->slope) > most)
        return 1;
    seen->far = apart > most ? seen->far + 1 : 0;
    seen->doubts = apart > MB_RATE_AGREES * seen->largest + noise ? seen->doubts + 1 : 0;
    seen->since = t - span;
    seen->until = t;
    seen->slope = slope;
    seen->rate = rate_now;
    return seen->far >= (over == MB_OVER_HELD ? MB_RATE_FAR_STEPS : 1) ||
           seen->doubts >= MB_RATE_DOUBTS;
}

/* Tells once of each input that has changed otherwise since a time than the rate that is given with it;
 * the inputs were `before` then. */
void mb_compare_rates(mb_instance *m, double since, const double *before, mb_over over)
{
    const mb_model *model = m->model;
    const double span = m->now.t - since, *u = m->now.u;
    if (!(span > 0))
        return;
    for (int i = 0; i < model->input_rates; i++) {
        const int input = model->input_rate[i].input, rate = model->input_rate[i].rate;
        mb_rate_watch *seen = &m->rate_watch[i];
        if (seen->told || (over == MB_OVER_STEP && before[rate] != u[rate]) ||
            !contradicts(seen, before[input], u[input], before[rate], u[rate], m->now.t, span, over))
            continue;
        mb_run(m, &model->rate_use, &m->now, m->input_use, NULL);
        if (m->input_use[input] == 0)
            continue;
        seen->told = 1;
        const char *of = mb_name_of(model, MB_INPUT, input), *by = mb_name_of(model, MB_INPUT, rate);
        mb_warn(m,
                "%s changes by %.6g per second from t = %.9g s to t = %.9g s, but its rate %s is "
                "%.6g there; motions and forces take both as given. If %s is the derivative of %s, "
                "this is the error of inputs that are held over a step: shorter steps make it "
                "smaller. If not, connect it",
                of, seen->slope, seen->since, seen->until, by, seen->rate, by, of);
    }
}

/* The course of an input is refused unless it has one: its derivative of an order is to be given. */
mb_status mb_check_course(mb_instance *m, unsigned reference, int order, double value)
{
    if (reference >= (unsigned)m->model->variables)
        return mb_refuse(m, MB_ERROR,
                         "value reference %u does not exist; the model description lists 0 to %d",
                         reference, m->model->variables - 1);
    const mb_variable *v = &m->model->variable[reference];
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

static void clear_courses(mb_instance *m)
{
    memset(m->input_course, 0, (size_t)(MB_ORDERS * m->model->nu) * sizeof(double));
    m->courses = MB_NO_COURSES;
}

/* Takes what was checked, for the next step. */
void mb_set_course(mb_instance *m, unsigned reference, int order, double value)
{
    if (m->courses != MB_COURSES_GIVEN)
        clear_courses(m);
    m->courses = MB_COURSES_GIVEN;
    m->input_course[m->model->variable[reference].index * MB_ORDERS + order - 1] = value;
}

/* The derivative of an order of an input, 0 being its value, a time after the step's beginning. */
static double on_course(const mb_instance *m, int input, int order, double after)
{
    const double *course = m->input_course + input * MB_ORDERS;
    double sum = 0;
    for (int k = MB_ORDERS; k >= 1 && k >= order; k--)
        sum = course[k - 1] + sum * after / (k + 1 - order);
    return order > 0 ? sum : m->saved_now.u[input] + sum * after;
}

/* Goes to a time on the way of a step. */
void mb_go_to(mb_instance *m, double t)
{
    m->now.t = t;
    m->fresh = 0;
    if (m->moving == MB_ASKED_FOR)
        mb_ask_inputs(m);
    else if (m->moving == MB_ON_COURSES)
        for (int i = 0; i < m->model->nu; i++)
            m->now.u[i] = on_course(m, i, 0, t - m->saved_now.t);
}

/* The rates at which inputs change now: on their courses, as they were found where inputs are asked
 * for, or as the last step has left them. */
void mb_input_rates(const mb_instance *m, double *rate)
{
    const double after = m->moving == MB_ON_COURSES ? m->now.t - m->saved_now.t : 0;
    for (int i = 0; i < m->model->nu; i++)
        rate[i] = on_course(m, i, 1, after);
}

/* Whether inputs stay finite in a step of length h; of those that leave their ranges is told. */
static mb_status check_courses(mb_instance *m, double h)
{
    enum { PLACES = 8 };
    for (int i = 0; i < m->model->variables; i++) {
        const mb_variable *v = &m->model->variable[i];
        for (int k = 1; v->kind == MB_INPUT && k <= PLACES; k++) {
            const double after = h * k / PLACES, value = on_course(m, v->index, 0, after);
            const double t = m->saved_now.t + after;
            if (!isfinite(value))
                return mb_refuse(m, MB_DISCARD,
                                 "the derivatives that are given with %s bring it to %g at t = %.9g s, "
                                 "which is not finite; take a shorter step or other derivatives",
                                 v->name, value, t);
            mb_tell_limit(m, v, value, t);
        }
    }
    return MB_OK;
}

/* Begins a communication step from saved_now to a time. */
mb_status mb_begin_courses(mb_instance *m, double end)
{
    if (m->courses == MB_COURSES_LEFT)
        clear_courses(m);
    m->visits_from = m->saved_now.t;
    m->visits_until = end;
    m->moving = m->gives_inputs ? MB_ASKED_FOR : MB_HELD;
    if (m->courses == MB_NO_COURSES)
        return MB_OK;
    m->moving = MB_ON_COURSES;
    return check_courses(m, end - m->saved_now.t);
}

/* Ends a step: one that has succeeded leaves derivatives where it ends, another one has to be tried
 * again with the same courses. */
void mb_end_courses(mb_instance *m, int succeeded)
{
    const double after = m->now.t - m->saved_now.t;
    const int moving = m->moving;
    m->moving = MB_HELD;
    if (moving == MB_HELD || !succeeded)
        return;
    m->courses = MB_COURSES_LEFT;
    if (moving == MB_ASKED_FOR)
        return;
    for (int i = 0; i < m->model->nu; i++)
        for (int order = 1; order <= MB_ORDERS; order++)
            m->input_course[i * MB_ORDERS + order - 1] = on_course(m, i, order, after);
}
