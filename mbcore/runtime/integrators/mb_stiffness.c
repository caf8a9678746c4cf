/* The automatic choice between an explicit and an implicit method while steps are made.
 *
 * Explicit steps of stiff equations are as long as stability permits, which is shorter than accuracy
 * asks for. So where stability may be the bound, a step of the other method is tried that would have to
 * be so long that it pays; it is only a trial, from which nothing stays but whether its error is small.
 * Steps become implicit where that is so several times in succession.
 * What pays is counted in statements, not in seconds: the choice is the same on each machine.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_tolerances.h"

/* The length of the change of the last stages' rates over that of their states, both at the end of the
 * step: it follows the fastest parts (E. Hairer, G. Wanner: Solving Ordinary Differential Equations II,
 * section IV.2). Zero where the method has no such stage. */
static double fastest_rate(const mb_instance *m, double h)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const int last = tableau->stages - 1;
    const double *weight = tableau->a + last * tableau->stages;
    double rates = 0, states = 0;
    if (tableau->c[last] != 1)
        return 0;
    for (int i = 0; i < MB_MODEL->ns; i++) {
        double s = m->accepted.s[i];
        for (int j = 0; j < last; j++)
            s += h * weight[j] * m->stage[j][i];
        const double scale = 1 / (m->nominal[i] + fabs(s));
        const double rate = scale * (m->rate[i] - m->stage[last][i]), state = scale * (m->now.s[i] - s);
        rates += rate * rate;
        states += state * state;
    }
    return states > 0 ? sqrt(rates / states) : 0;
}

/* The largest eigenvalue of the implicit method's Jacobian, by the growth of products with it. */
static double spectral_radius(const mb_instance *m)
{
    const int n = MB_MODEL->ns;
    double *v = m->stage[1], *w = m->stage[2], growth = 0;
    for (int i = 0; i < n; i++)
        v[i] = m->nominal[i] / (1 + i % 3);
    for (int k = 0; k < MB_PRODUCTS; k++) {
        double square = 0;
        memset(w, 0, (size_t)n * sizeof(double));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                w[i] += m->jacobian[j * n + i] * v[j];
        for (int i = 0; i < n; i++)
            square += w[i] * w[i];
        if (!(square > 0))
            return 0;
        const double size = sqrt(square);
        for (int i = 0; i < n; i++)
            v[i] = w[i] / size;
        if (k >= MB_PRODUCTS / 2)
            growth += log(size) / (MB_PRODUCTS - MB_PRODUCTS / 2);
    }
    return exp(growth);
}

/* The work of a step, in statements. An implicit one does not solve for values, whose rates are states. */
static double work_of(const mb_method *method)
{
    const mb_model *model = MB_MODEL;
    const double n = model->ns, k = n - model->nm;
    const double rate = 2 * MB_CALL + model->newton.statements + model->derivative.statements;
    if (method->tableau)
        return method->tableau->stages * rate;
    return method->rosenbrock->stages * rate + (n + 1) * (MB_CALL + model->change.statements) + k * k * k / 3;
}

static const mb_method *other_method(const mb_instance *m)
{
    return m->stiffness.implicit ? m->explicit_method : m->implicit_method;
}

static void begin_again(mb_instance *m)
{
    mb_copy_own(m, &m->now, &m->accepted);
    m->fresh = MB_CONFIGURED;
}

/* Whether a step of a method has a small error. */
static int is_good(mb_instance *m, const mb_method *method, double h)
{
    const mb_method *present = m->method;
    const mb_step_size step_size = m->step_size;
    const int sensitive = m->sensitive, checked = m->check_stages;
    double error = INFINITY;
    m->method = method;
    m->sensitive = m->check_stages = 0;
    mb_status status = mb_prepare_step(m, h);
    if (!status) {
        memcpy(m->stage[0], m->rate, (size_t)MB_MODEL->ns * sizeof(double));
        mb_begin_attempt(m, h);
        status = method->attempt(m, h, m->accepted.t + h, &error);
    }
    mb_forget_trials(m);
    m->method = present;
    m->step_size = step_size;
    m->sensitive = sensitive;
    m->check_stages = checked;
    begin_again(m);
    return !status && error <= 1;
}

static void change_method(mb_instance *m, double h)
{
    m->method = other_method(m);
    m->stiffness = (mb_stiffness){.implicit = !m->stiffness.implicit};
    m->step_size = (mb_step_size){h, 0, m->step_size.time_to_impact, m->step_size.exactly};
    if (m->stiffness.implicit)
        m->sensitive = 0;
}

/* Whether a step of the other method is good that would pay. */
static int pays(mb_instance *m, double h, double left)
{
    if (h > left || (m->stiffness.implicit && h * spectral_radius(m) > MB_STABLE))
        return 0;
    return is_good(m, other_method(m), h);
}

/* Changes the method before a step where the other one is quicker; `left` is how long a step may be. */
mb_status mb_follow_stiffness(mb_instance *m, double left)
{
    mb_stiffness *stiffness = &m->stiffness;
    const double wait = stiffness->wait > 0 ? stiffness->wait : MB_LEAST_WAIT;
    if (stiffness->doubtful < wait || !(stiffness->pace > 0))
        return MB_OK;
    const double h = MB_GAIN * stiffness->pace * work_of(other_method(m));
    if (!pays(m, h, left)) {
        stiffness->doubtful = stiffness->confirmed = 0;
        stiffness->wait = fmin(2 * wait, MB_MOST_WAIT);
    } else if (stiffness->implicit || ++stiffness->confirmed >= MB_CONFIRMED)
        change_method(m, h);
    return mb_exhausted(m) ? mb_fail_exhausted(m) : MB_OK;
}

/* Notes the pace of a step that has been made, and whether the other method may be quicker. */
void mb_note_pace(mb_instance *m, double h, double work)
{
    mb_stiffness *stiffness = &m->stiffness;
    if (!(h > 0 && work > 0) || m->stage_step > 1.0001 * h)
        return; /* cut short by an event */
    const double pace = h / work, before = stiffness->pace;
    stiffness->pace = before > 0 ? MB_PACE_KEPT * before + (1 - MB_PACE_KEPT) * pace : pace;
    stiffness->doubtful += stiffness->implicit || h * fastest_rate(m, h) > MB_DOUBTFUL;
}

/* Where the implicit method has failed: the step begins again, by the explicit one. */
int mb_give_up_implicit(mb_instance *m)
{
    if (!m->stiffness.implicit || mb_exhausted(m))
        return 0;
    change_method(m, 0);
    m->stiffness.wait = MB_MOST_WAIT;
    begin_again(m);
    return 1;
}
