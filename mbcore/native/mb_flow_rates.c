/* The flow's rates at a point, with those of its columns. */
#include <string.h>

#include "mb_flow.h"

int mb_flow_states(const mb_flow *f) { return f->analysis->m->model->ns; }

int mb_flow_size(const mb_flow *f)
{
    const int n = mb_flow_states(f);
    return f->columns < 0 ? n : n + n * f->columns + 1;
}

/* Sets inputs and configuration of a point; returns whether there is one. */
int mb_flow_go_to(mb_flow *f, double t, const double *s)
{
    const mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f);
    f->at->t = t;
    memmove(f->at->s, s, (size_t)n * sizeof(double));
    if (f->ended || !mb_all_finite(s, n))
        return 0;
    if (f->input && f->input(t) != MB_GO_ON) {
        f->ended = 1;
        return 0;
    }
    return m->model->nx == 0 || mb_point_reach(f->analysis, f->at, f->origin, f->scale, f->branch,
                                               f->lowest, f->highest);
}

/* Rates of the state; returns whether there are any. */
int mb_flow_rate(mb_flow *f, double t, const double *s, double *rate)
{
    f->evaluations++;
    if (!mb_flow_go_to(f, t, s))
        return 0;
    mb_run_rates(f->analysis->m, f->at, rate, NULL);
    return mb_all_finite(rate, mb_flow_states(f));
}

static void find_column(mb_flow *f, int place, double *column)
{
    mb_instance *m = f->analysis->m;
    m->variation[place] = 1;
    mb_run_change(m, f->at, column, NULL);
    m->variation[place] = 0;
}

/* The Jacobian of the rates at the point, and the changes of the rates with what is varied. */
void mb_flow_slopes(mb_flow *f, double *jacobian, double *added)
{
    mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f);
    m->extra[MB_EXTRA_variation] = m->variation;
    for (int k = 0; k < f->felts; k++)
        find_column(f, f->felt[k], jacobian + n * f->felt[k]);
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
            row[c] = c < f->felts ? 0 : added[n * (c - f->felts) + i];
        for (int k = 0; k < f->felts; k++) {
            const double entry = jacobian[i + n * f->felt[k]], *other = y + f->felt[k] * m;
            for (int c = 0; entry != 0 && c < m; c++)
                row[c] += entry * other[c];
        }
    }
}

/* Rates of all values at a point; returns whether there are any. */
int mb_flow_rates(mb_flow *f, double t, const double *y, double *rate)
{
    const int n = mb_flow_states(f), m = f->columns;
    if (!mb_flow_rate(f, t, y, rate))
        return 0;
    if (m < 0)
        return 1;
    mb_flow_slopes(f, f->stage_jacobian, f->stage_added);
    mb_flow_rates_of_columns(f, f->stage_jacobian, f->stage_added, y + n, rate + n);
    rate[n + n * m] = mb_flow_trace(f->stage_jacobian, n);
    return 1;
}
