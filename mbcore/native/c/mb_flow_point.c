/* The flow at a point: its rates, with those of its columns, what must hold, what is noted. */
#include <math.h>
#include <string.h>

#include "mb_flow.h"

int mb_flow_states(const mb_flow *f) { return MB_MODEL->ns + f->numbers; }

/* The place of a state in a variation. */
int mb_flow_place(const mb_flow *f, int state)
{
    const int number = state - MB_MODEL->ns;
    return number < 0 ? state : f->discretes + f->number[number];
}

int mb_flow_size(const mb_flow *f)
{
    const int n = mb_flow_states(f);
    return f->columns < 0 ? n : n + n * f->columns + 1;
}

/* Sets the inputs that are functions of time; returns 0 where the host ends the motion. */
int mb_flow_give_inputs(mb_flow *f, double t)
{
    const mb_signals *signals = f->signals;
    unsigned char usual = 0;
    if (signals) {
        const mb_signal_place place = {0, t, f->until};
        mb_follow_signals(signals, 1, &place, f->given, &usual);
        for (int j = 0; j < signals->count; j++)
            f->at->u[signals->signal[j].input] = f->given[j];
    }
    if (!usual && f->input && f->input(t) != MB_GO_ON)
        f->ended = 1;
    return !f->ended;
}

/* Sets inputs and configuration of a point, where remembered numbers stay as they are; returns whether
 * there is one. */
int mb_flow_go_to(mb_flow *f, double t, const double *s)
{
    const int n = MB_MODEL->ns;
    f->at->t = t;
    memmove(f->at->s, s, (size_t)n * sizeof(double));
    if (f->ended || !mb_all_finite(s, n))
        return 0;
    if (!mb_flow_give_inputs(f, t))
        return 0;
    return MB_MODEL->nx == 0 || mb_point_reach(f->analysis, f->at, f->origin, f->scale, f->branch,
                                               f->lowest, f->highest);
}

/* Rates of the state, alone or with what its derivatives share with them; returns whether there are
 * any. */
static int find_rates(mb_flow *f, double t, const double *s, double *rate, int shared)
{
    f->evaluations++;
    if (!mb_flow_go_to(f, t, s))
        return 0;
    if (shared)
        mb_run_rates_to_share(f->analysis->m, f->at, rate);
    else
        mb_run_rates(f->analysis->m, f->at, rate, NULL);
    for (int k = MB_MODEL->ns; k < mb_flow_states(f); k++)
        rate[k] = 0;
    return mb_all_finite(rate, mb_flow_states(f));
}

int mb_flow_rate(mb_flow *f, double t, const double *s, double *rate)
{
    return find_rates(f, t, s, rate, 0);
}

/* A column of slopes; numbers have no rate, and no row but zeros from the beginning. */
static void find_column(mb_flow *f, int place, double *column)
{
    mb_instance *m = f->analysis->m;
    m->whole_variation[place] = 1;
    if (place < f->discretes)
        mb_run_change(m, f->at, column, NULL);
    else
        mb_run(m, &mb_generated_functions[f->remembered_change], f->at, column, NULL);
    m->whole_variation[place] = 0;
}

/* The Jacobian of the rates at the point, and the changes of the rates with what is varied. */
void mb_flow_slopes(mb_flow *f, double *jacobian, double *added)
{
    mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f);
    m->extra[MB_EXTRA_variation] = m->extra[MB_EXTRA_whole_variation] = m->whole_variation;
    for (int k = 0; k < f->felts; k++)
        find_column(f, mb_flow_place(f, f->felt[k]), jacobian + n * f->felt[k]);
    for (int k = 0; k < f->varied; k++)
        find_column(f, f->value[k], added + n * k);
}

double mb_flow_trace(const double *jacobian, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += jacobian[i + n * i];
    return sum;
}

/* Rates of the columns of the derivative, row by row: J Y, and what is added to those by values. */
void mb_flow_rates_of_columns(const mb_flow *f, const double *jacobian, const double *added,
                              const double *y, double *rate)
{
    const int n = mb_flow_states(f), m = f->columns;
    for (int i = 0; i < n; i++) {
        double *row = rate + i * m;
        for (int c = 0; c < m; c++)
            row[c] = c < f->starts ? 0 : added[n * (c - f->starts) + i];
        for (int k = 0; k < f->felts; k++) {
            const double entry = jacobian[i + n * f->felt[k]], *other = y + f->felt[k] * m;
            for (int c = 0; entry != 0 && c < m; c++)
                row[c] += entry * other[c];
        }
    }
}

/* Rates of the columns at the point, several at once. */
static void find_rates_in_lanes(mb_flow *f, const double *y, double *rate)
{
    const int n = mb_flow_states(f), ns = MB_MODEL->ns;
    const mb_columns of = {f->columns, ns, y, f->value_of};
    mb_run_changes(f->analysis->m, f->at, &of, rate, NULL);
    memset(rate + ns * f->columns, 0, (size_t)((n - ns) * f->columns) * sizeof(double));
}

/* Whether columns have numbers, as they have behind events that set some. */
static int have_numbers(const mb_flow *f, const double *y)
{
    for (int i = MB_MODEL->ns * f->columns; i < mb_flow_states(f) * f->columns; i++)
        if (y[i] != 0)
            return 1;
    return 0;
}

/* Rates of the columns at the point, each by one derivative along it: fewer evaluations than those of
 * the Jacobian where columns are by fewer values than rates depend on. */
static void find_rates_along_columns(mb_flow *f, const double *y, double *rate)
{
    mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f), ns = MB_MODEL->ns, columns = f->columns;
    double *by_numbers = f->last_rate;
    if (MB_MODEL->changes && !have_numbers(f, y)) {
        find_rates_in_lanes(f, y, rate);
        return;
    }
    memset(by_numbers, 0, (size_t)n * sizeof(double));
    m->extra[MB_EXTRA_variation] = m->extra[MB_EXTRA_whole_variation] = m->whole_variation;
    for (int c = 0; c < columns; c++) {
        const int value = c < f->starts ? -1 : f->value[c - f->starts];
        for (int i = 0; i < n; i++)
            m->whole_variation[mb_flow_place(f, i)] = y[i * columns + c];
        if (value >= 0)
            m->whole_variation[value] = 1;
        mb_run_change(m, f->at, f->raw, NULL);
        if (f->numbers)
            mb_run(m, &mb_generated_functions[f->remembered_change], f->at, by_numbers, NULL);
        for (int i = 0; i < n; i++)
            rate[i * columns + c] = i < ns ? f->raw[i] + by_numbers[i] : 0;
        if (value >= 0)
            m->whole_variation[value] = 0;
    }
    for (int i = 0; i < n; i++)
        m->whole_variation[mb_flow_place(f, i)] = 0;
}

/* Rates of all values at a point; returns whether there are any. */
int mb_flow_rates(mb_flow *f, double t, const double *y, double *rate)
{
    const int n = mb_flow_states(f), m = f->columns;
    if (!find_rates(f, t, y, rate, m > 0))
        return 0;
    if (m < 0)
        return 1;
    if (f->starts < f->felts) {
        find_rates_along_columns(f, y + n, rate + n);
        rate[n + n * m] = 0;
        return 1;
    }
    mb_flow_slopes(f, f->stage_jacobian, f->stage_added);
    mb_flow_rates_of_columns(f, f->stage_jacobian, f->stage_added, y + n, rate + n);
    rate[n + n * m] = mb_flow_trace(f->stage_jacobian, n);
    return 1;
}

/* Whether the point meets what must hold on the way. */
int mb_flow_meets_requirements(const mb_flow *f)
{
    const unsigned times = MB_AT_ANY_TIME & ~(1u << MB_AT_START);
    return mb_point_meets(f->analysis->m, f->at, MB_VIOLATION_IS_ERROR, times);
}

/* Makes the present point the one from which configurations are sought. */
void mb_flow_accept(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    const int nr = MB_MODEL->nr;
    mb_copy_point(MB_MODEL, f->origin, f->at);
    if (nr)
        mb_run(m, &MB_MODEL->conditioning, f->at, m->other_measure, NULL);
    for (int i = 0; i < nr; i++) {
        const double measure = m->other_measure[i], size = fabs(measure);
        f->branch[i] = (measure > 0) - (measure < 0);
        f->size[i] = f->lowest[i] = f->highest[i] = size;
        f->largest[i] = fmax(f->largest[i], size);
    }
}

/* Notes the last step up to a time for the host; its interpolant has been made. Returns whether there
 * was room. */
int mb_flow_note(mb_flow *f, double reached)
{
    const int size = mb_flow_size(f), nd = MB_MODEL->nd;
    const int n = f->recorded == MB_RECORD_ALL ? size : mb_flow_states(f);
    const int rows = f->collocation ? f->collocation->stages + 1 : f->explicit_steps->terms + 1;
    double *to = mb_extend(&f->noted, 3 + nd + (long)rows * n);
    if (!to)
        return 0;
    *to++ = f->origin->t;
    *to++ = f->t;
    *to++ = reached;
    memcpy(to, f->origin->d, (size_t)nd * sizeof(double));
    to += nd;
    for (int k = 0; k < rows; k++, to += n) {
        const double *from = f->collocation || !k ? f->step + k * size : f->term + (k - 1) * size;
        memcpy(to, from, (size_t)n * sizeof(double));
    }
    return 1;
}
