/* Evaluation at the present values: each result once, all finite, and all requirements met. A
 * violation that is only a warning, such as an input out of its range, is logged once.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_evaluate.h"
#include "mb_tolerances.h"

/* Requirements */

static mb_status violated(mb_instance *m, int requirement)
{
    const mb_requirement *r = &MB_MODEL->requirement[requirement];
    return mb_fail(m, "%s: %s (it is %.9g at t = %.9g s)", r->name, r->message,
                   m->requirement_value[requirement], m->now.t);
}

static int is_unmet(const mb_instance *m, int requirement, mb_when when, mb_severity severity)
{
    const mb_requirement *r = &MB_MODEL->requirement[requirement];
    return r->when == when && r->severity == severity && !(m->required[requirement] > 0);
}

static mb_status check(mb_instance *m, mb_when when)
{
    m->any_unmet = 0;
    if (MB_MODEL->nq > 0)
        mb_run(m, &MB_MODEL->require, &m->now, m->required, m->requirement_value);
    for (int i = 0; i < MB_MODEL->nq; i++)
        m->any_unmet |= !(m->required[i] > 0);
    for (int i = 0; i < MB_MODEL->nq && m->any_unmet; i++)
        if (is_unmet(m, i, when, MB_VIOLATION_IS_ERROR))
            return violated(m, i);
    return MB_OK;
}

/* Marks all requirements with this message as warned of, so that a model with forty contacts does not
 * log the same text forty times; returns how many of them are unmet. */
static int mark_warned(mb_instance *m, const char *message, mb_when when)
{
    int unmet = 0;
    for (int i = 0; i < MB_MODEL->nq; i++)
        if (strcmp(MB_MODEL->requirement[i].message, message) == 0) {
            m->warned[i] = 1;
            unmet += is_unmet(m, i, when, MB_VIOLATION_IS_WARNING);
        }
    return unmet;
}

/* Warns of what is unmet in `required`, once for each message. */
static void warn(mb_instance *m, mb_when when)
{
    for (int i = 0; i < MB_MODEL->nq; i++) {
        const mb_requirement *r = &MB_MODEL->requirement[i];
        if (m->warned[i] || !is_unmet(m, i, when, MB_VIOLATION_IS_WARNING))
            continue;
        const int others = mark_warned(m, r->message, when) - 1;
        char more[32] = "";
        if (others > 0)
            snprintf(more, sizeof more, ", and %d more", others);
        mb_warn(m, "%s: %s (it is %.9g at t = %.9g s%s)", r->name, r->message, m->requirement_value[i],
                m->now.t, more);
    }
}

static int item_available(const mb_variable *v, double value)
{
    return value >= 1 && value <= 32 && (v->available >> ((unsigned)value - 1) & 1ul);
}

mb_status mb_check_all_parameters(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    for (int i = 0; i < model->variables; i++) {
        const mb_variable *v = &model->variable[i];
        if (v->kind == MB_PARAMETER && v->type == MB_ENUMERATION &&
            !item_available(v, m->now.p[v->index]))
            return mb_fail(m,
                           "item %.0f of %s is not available in this FMU (t = %.9g s); the items' "
                           "descriptions in the model description say which are",
                           m->now.p[v->index], v->name, m->now.t);
    }
    const mb_status status = check(m, MB_OF_PARAMETERS);
    if (status)
        return status;
    warn(m, MB_OF_PARAMETERS);
    m->parameters_checked = 1;
    return MB_OK;
}

/* What must hold at the first configuration. */
mb_status mb_check_start(mb_instance *m)
{
    const mb_status status = check(m, MB_AT_START);
    if (!status)
        warn(m, MB_AT_START);
    return status;
}

mb_status mb_check_now(mb_instance *m)
{
    const mb_status status = check(m, MB_ALWAYS);
    if (!status)
        m->fresh |= MB_CHECKED;
    return status;
}

/* Warns once of an input beyond its range, where the model's formulas take the limit itself. */
void mb_warn_limit(mb_instance *m, const mb_variable *v, double value, double t)
{
    const int below = value < v->minimum;
    if (v->kind != MB_INPUT || !(below || value > v->maximum) || m->limit_warned[v->index])
        return;
    m->limit_warned[v->index] = 1;
    mb_warn(m,
            "%s = %.9g at t = %.9g s is %s its range and acts as %.9g; nothing changes with it beyond "
            "its limit",
            v->name, value, t, below ? "below" : "above", below ? v->minimum : v->maximum);
}

/* The same of all inputs as they are. */
static void warn_limits(mb_instance *m)
{
    for (int i = 0; i < m->limited_inputs; i++) {
        const mb_variable *v = &MB_MODEL->variable[m->limited_row[i]];
        const double value = m->now.u[v->index];
        if (value < v->minimum || value > v->maximum)
            mb_warn_limit(m, v, value, m->now.t);
    }
}

/* Warns of what the accepted point, which has been checked, violates. */
void mb_warn_unmet(mb_instance *m)
{
    if (m->any_unmet)
        warn(m, MB_ALWAYS);
    warn_limits(m);
}

/* Values that are not finite */

enum { MOST_ZEROS = 300 /* characters */ };

/* Writes which parameters have been set to zero that are not by default: a mass, say. */
static void list_zeros(const mb_instance *m, char *to, size_t size)
{
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < MB_MODEL->variables; i++) {
        const mb_variable *v = &MB_MODEL->variable[i];
        const size_t more = strlen(v->name) + 2;
        const int zero = v->kind == MB_PARAMETER && v->type == MB_REAL &&
                         v->start - v->shift != 0 && m->now.p[v->index] == 0;
        if (!zero || used + more >= size)
            continue;
        snprintf(to + used, size - used, "%s%s", used > 0 ? ", " : "", v->name);
        used = strlen(to);
    }
}

static mb_status fail_not_finite(mb_instance *m, const char *name)
{
    char zeros[MOST_ZEROS];
    list_zeros(m, zeros, sizeof zeros);
    return mb_fail(m,
                   "%s is not finite at t = %.9g s: the configuration is singular or a value is "
                   "out of its physical range; check states, inputs and parameters%s%s",
                   name ? name : "a calculated value", m->now.t,
                   zeros[0] ? ", of which these are set to 0: " : "", zeros);
}

/* The name of the first value that is not finite and has one, else NULL. */
static const char *name_not_finite(mb_kind kind, const double *values, int n)
{
    const mb_variable *row = NULL;
    for (int i = 0; i < n && !row; i++)
        if (!isfinite(values[i]))
            row = mb_row_of(MB_MODEL, kind, i);
    return row ? row->name : NULL;
}

mb_status mb_fail_rate(mb_instance *m, const double *rate)
{
    return fail_not_finite(m, name_not_finite(MB_DERIVATIVE, rate, MB_MODEL->ns));
}

/* An output that is the derivative of a state has that one's row, and so its name. */
static mb_status check_output(mb_instance *m)
{
    if (mb_all_finite(m->output, MB_MODEL->ny))
        return MB_OK;
    const char *name = name_not_finite(MB_OUTPUT, m->output, MB_MODEL->ny);
    const mb_status status = name ? MB_OK : mb_derive(m, m->rate);
    return status ? status : fail_not_finite(m, name);
}

/* Results */

/* The reason that there is no configuration: a reached limit, or a violated requirement, explains
 * more than a condition that cannot be met. */
static MB_SELDOM mb_status fail_configuration(mb_instance *m)
{
    const size_t size = (size_t)MB_MODEL->nx * sizeof(double);
    const int exhausted = mb_exhausted(m);
    mb_status status = exhausted ? mb_fail_exhausted(m) : mb_fail_if_at_limit(m);
    memcpy(m->now.x, m->accepted.x, size);
    if (exhausted)
        return status;
    if (!status)
        status = mb_check(m);
    m->fresh = 0;
    return status ? status : mb_fail_unreached(m);
}

/* The configuration of `now`. */
mb_status mb_find_configuration(mb_instance *m)
{
    if (MB_MODEL->nx > 0 && !mb_reach(m))
        return fail_configuration(m);
    m->fresh |= MB_CONFIGURED;
    return MB_OK;
}

static MB_SELDOM mb_status check_before(mb_instance *m)
{
    return mb_exhausted(m) ? mb_fail_exhausted(m) : mb_check_all_parameters(m);
}

mb_status mb_configure_now(mb_instance *m)
{
    if (mb_exhausted(m) || !m->parameters_checked) {
        const mb_status status = check_before(m);
        if (status)
            return status;
    }
    return mb_find_configuration(m);
}

mb_status mb_derive(mb_instance *m, double *rate) { return mb_derive_measured(m, rate, NULL); }

static mb_status fail_indicator(mb_instance *m)
{
    int event = 0;
    while (isfinite(m->indicator[event]))
        event++;
    return mb_fail(m,
                   "the indicator of event %s is not finite at t = %.9g s; check states, inputs and "
                   "parameters",
                   MB_MODEL->event[event], m->now.t);
}

mb_status mb_indicate_now(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    const mb_status status = mb_configure(m);
    if (status || (m->fresh & MB_INDICATED))
        return status;
    if (model->ne > 0) {
        const int closed = mb_closed_contacts(m);
        if (model->known_indicator.call && mb_now_is_cached(m))
            mb_run(m, &model->known_indicator, &m->now, m->indicator, NULL);
        else
            mb_run(m, closed ? &model->indicator : &model->free_indicator, &m->now, m->indicator,
                   NULL);
        if (!mb_all_finite(m->indicator, model->ne))
            return fail_indicator(m);
    }
    m->fresh |= MB_INDICATED;
    return MB_OK;
}

mb_status mb_evaluate_now(mb_instance *m, unsigned wanted)
{
    m->rate_wanted = wanted == MB_DERIVED;
    mb_status status = mb_configure(m);
    m->rate_wanted = 0;
    if (!status)
        status = mb_check(m);
    if (status)
        return status;
    if (wanted == MB_INDICATED)
        return mb_indicate(m);
    if (wanted == MB_DERIVED)
        status = mb_derive(m, m->rate);
    else {
        mb_run(m, &MB_MODEL->output, &m->now, m->output, NULL);
        status = check_output(m);
    }
    if (!status)
        m->fresh |= wanted;
    return status;
}

static mb_status measure_conditioning(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    if (model->nr == 0)
        return MB_OK;
    if (!(m->fresh & MB_MEASURED))
        mb_run(m, &model->conditioning, &m->now, m->measure, NULL);
    return mb_accept_conditioning(m, m->measure);
}

mb_status mb_accept_now(mb_instance *m)
{
    mb_status status = mb_configure(m);
    if (!status)
        status = mb_check(m);
    if (!status)
        status = measure_conditioning(m);
    if (!status && m->power_due)
        status = mb_check_power(m);
    m->power_due = 0;
    if (status)
        return status;
    mb_warn_unmet(m);
    mb_copy_own(m, &m->accepted, &m->now);
    m->fresh |= MB_ACCEPTED;
    return MB_OK;
}
