/* Radau collocation of the state with its derivative, the compiled form of
 * mbcore/periodic/collocation.py, which says how it works; both take the same steps.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_flow.h"

enum { ITERATIONS = 10 };
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 4;
static const double FARTHEST = 2;      /* factor of lengths above which the last step guesses nothing */
static const double ACCURACY = 1e-2;   /* error of the stages, in parts of the step's, that is enough */
static const double DOUBTFUL = 0.3;    /* the same where rounding stops the iteration */
static const double ROUNDING = 4e-15;  /* relative rounding error of the states */
static const double JUST_OVER = 1.05;  /* a rest of the way up to this is made in one step */

static int states(const mb_flow *f) { return f->analysis->m->model->ns; }

static int size_of(const mb_flow *f)
{
    const int n = states(f);
    return f->columns < 0 ? n : n + n * f->columns + 1;
}

/* Sets inputs and configuration of a point; returns whether there is one. */
static int go_to(mb_flow *f, double t, const double *s)
{
    const mb_instance *m = f->analysis->m;
    const int n = states(f);
    f->evaluations++;
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

static int find_rate(mb_flow *f, double t, const double *s, double *rate)
{
    mb_instance *m = f->analysis->m;
    if (!go_to(f, t, s))
        return 0;
    mb_run_rates(m, f->at, rate, NULL);
    return mb_all_finite(rate, states(f));
}

static void find_column(mb_flow *f, int place, double *column)
{
    mb_instance *m = f->analysis->m;
    m->variation[place] = 1;
    mb_run_change(m, f->at, column, NULL);
    m->variation[place] = 0;
}

/* The Jacobian of the rates at the point, and the change of the rates with what is varied. */
static void find_slopes(mb_flow *f, double *jacobian, double *added)
{
    mb_instance *m = f->analysis->m;
    const int n = states(f);
    m->extra[MB_EXTRA_variation] = m->variation;
    for (int k = 0; k < f->felts; k++)
        find_column(f, f->felt[k], jacobian + n * f->felt[k]);
    if (f->columns >= 0 && f->value >= 0)
        find_column(f, f->value, added);
}

static double trace_of(const double *jacobian, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += jacobian[i + n * i];
    return sum;
}

/* Rates of a column of the derivative: J y, and what is added to that of what is varied. Columns lie
 * `apart` from entry to entry. */
static void rate_of_column(const mb_flow *f, const double *jacobian, const double *added,
                           const double *y, int apart, int column, double *rate)
{
    const int n = states(f), varied = f->value >= 0 && column == f->columns - 1;
    for (int i = 0; i < n; i++)
        rate[i] = varied ? added[i] : 0;
    for (int k = 0; k < f->felts; k++) {
        const int j = f->felt[k];
        const double entry = y[j * apart];
        for (int i = 0; i < n; i++)
            rate[i] += jacobian[i + n * j] * entry;
    }
}

/* Rates of all values at a point, for explicit methods; returns whether there are any. */
MB_EXPORT int mb_flow_rates(mb_flow *f, double t, const double *y, double *rate)
{
    const int n = states(f);
    f->ended = 0;
    if (!find_rate(f, t, y, rate))
        return 0;
    if (f->columns < 0)
        return 1;
    find_slopes(f, f->stage_jacobian, f->stage_added);
    for (int c = 0; c < f->columns; c++) {
        rate_of_column(f, f->stage_jacobian, f->stage_added, y + n + c, f->columns, c, f->raw);
        for (int i = 0; i < n; i++)
            rate[n + i * f->columns + c] = f->raw[i];
    }
    rate[n + n * f->columns] = trace_of(f->stage_jacobian, n);
    return 1;
}

/* Weights of a step's values at a part of it. */
static void lagrange(const mb_flow *f, double part, double *weight)
{
    const int s = f->stages;
    for (int j = 0; j <= s; j++) {
        const double own = j ? f->node[j - 1] : 0;
        weight[j] = 1;
        for (int i = 0; i <= s; i++) {
            const double other = i ? f->node[i - 1] : 0;
            if (i != j)
                weight[j] *= (part - other) / (own - other);
        }
    }
}

/* A guess of the stages less the begin, by the polynomial of the last step. */
static void guess(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages, size = size_of(f);
    memset(f->moved, 0, (size_t)(s * n) * sizeof(double));
    if (!(h <= FARTHEST * f->last))
        return;
    for (int j = 0; j < s; j++) {
        lagrange(f, 1 + h / f->last * f->node[j], f->weight);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k <= s; k++)
                sum += f->weight[k] * f->step[k * size + i];
            f->moved[j * n + i] = sum - f->y[i];
        }
    }
}

/* Fills I - h A (x) J; each stage has its own J where `apart` is not 0. */
static void fill_system(mb_flow *f, double h, const double *jacobian, int apart)
{
    const int n = states(f), s = f->stages, sn = s * n;
    for (int j = 0; j < s; j++)
        for (int c = 0; c < n; c++) {
            const double *from = jacobian + j * apart + c * n;
            double *to = f->system + (size_t)(j * n + c) * (size_t)sn;
            for (int i = 0; i < s; i++) {
                const double factor = -h * f->matrix[i * s + j];
                for (int r = 0; r < n; r++)
                    to[i * n + r] = factor * from[r];
            }
            to[j * n + c] += 1;
        }
}

static int rates_at_stages(mb_flow *f, double h)
{
    const int n = states(f);
    for (int j = 0; j < f->stages; j++) {
        for (int i = 0; i < n; i++)
            f->raw[i] = f->y[i] + f->moved[j * n + i];
        if (!find_rate(f, f->t + f->node[j] * h, f->raw, f->stage_rate + j * n))
            return 0;
    }
    return 1;
}

/* The change of a Newton step, its size in tolerances, and whether it is below rounding. */
static double newton_change(mb_flow *f, double h, int *rounding)
{
    const int n = states(f), s = f->stages;
    double size = 0;
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += f->matrix[i * s + j] * f->stage_rate[j * n + r];
            f->change[i * n + r] = h * sum - f->moved[i * n + r];
        }
    mb_solve(f->system, f->pivot, f->change, s * n);
    *rounding = 1;
    for (int k = 0; k < s * n; k++) {
        const int r = k % n;
        const double from = fabs(f->y[r]), change = fabs(f->change[k]);
        const double least =
            ROUNDING * (from + h * fabs(f->rate[r]) + f->absolute[r] / f->relative);
        const double part = change / (f->absolute[r] + f->relative * from);
        f->moved[k] += f->change[k];
        size = part > size || isnan(part) ? part : size;
        *rounding &= change <= least;
    }
    return size;
}

/* Finds rates at the stages by Newton's method; one factorization a step serves all iterations. */
static int find_stages(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages;
    double before = INFINITY;
    fill_system(f, h, f->jacobian, 0);
    if (!mb_factorize(f->system, f->pivot, s * n))
        return 0;
    guess(f, h);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        int rounding;
        if (!rates_at_stages(f, h))
            return 0;
        const double size = newton_change(f, h, &rounding);
        if (size <= ACCURACY || rounding || (size <= DOUBTFUL && size >= before)) {
            /* the last change is small, so its effect on the rates is linear */
            for (int j = 0; j < s; j++)
                for (int c = 0; c < n; c++)
                    for (int i = 0; i < n; i++)
                        f->stage_rate[j * n + i] += f->jacobian[i + n * c] * f->change[j * n + c];
            return 1;
        }
        if (!(size < before))
            return 0;
        before = size;
    }
    return 0;
}

static int factorize_filter(mb_flow *f, double h)
{
    const int n = states(f);
    for (int k = 0; k < n * n; k++)
        f->filter[k] = -h * f->gamma * f->jacobian[k];
    for (int i = 0; i < n; i++)
        f->filter[i + n * i] += 1;
    return mb_factorize(f->filter, f->pivot, n);
}

/* The sum of squares of `raw` in parts of tolerances, filtered, [HairerWanner] (8.19); its entries
 * are those of values `first`, `first + apart` and so on. */
static double squares(mb_flow *f, int first, int apart)
{
    const int n = states(f), size = size_of(f);
    const double *end = f->trial + f->stages * size;
    double sum = 0;
    mb_solve(f->filter, f->pivot, f->raw, n);
    for (int i = 0; i < n; i++) {
        const int place = first + i * apart;
        const double largest = fmax(fabs(f->y[place]), fabs(end[place]));
        const double part = f->raw[i] / (f->absolute[place] + f->relative * largest);
        sum += part * part;
    }
    return sum;
}

static double try_state(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages, size = size_of(f);
    memcpy(f->trial, f->y, (size_t)size * sizeof(double));
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += f->matrix[i * s + j] * f->stage_rate[j * n + r];
            f->trial[(i + 1) * size + r] = f->y[r] + h * sum;
        }
    for (int r = 0; r < n; r++) {
        double sum = f->gamma * f->rate[r];
        for (int j = 0; j < s; j++)
            sum += f->error[j] * f->stage_rate[j * n + r];
        f->raw[r] = h * sum;
    }
    return sqrt(squares(f, 0, 1) / n);
}

/* Solves for the columns at the stages of the trial step. */
static int solve_columns(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages, size = size_of(f), m = f->columns;
    fill_system(f, h, f->stage_jacobian, n * n);
    if (!mb_factorize(f->system, f->pivot, s * n))
        return 0;
    for (int c = 0; c < m; c++) {
        const int varied = f->value >= 0 && c == m - 1;
        for (int i = 0; i < s; i++)
            for (int r = 0; r < n; r++) {
                double sum = 0;
                for (int j = 0; varied && j < s; j++)
                    sum += f->matrix[i * s + j] * f->stage_added[j * n + r];
                f->change[i * n + r] = f->y[n + r * m + c] + h * sum;
            }
        mb_solve(f->system, f->pivot, f->change, s * n);
        for (int i = 0; i < s; i++)
            for (int r = 0; r < n; r++)
                f->trial[(i + 1) * size + n + r * m + c] = f->change[i * n + r];
    }
    return 1;
}

/* Takes the columns and the integral through the trial step; returns their error. */
static double try_columns(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages, size = size_of(f), m = f->columns;
    double sum = 0, *rate = f->change; /* free again */
    if (!solve_columns(f, h) || !factorize_filter(f, h))
        return INFINITY;
    for (int i = 0; i < s; i++) {
        double *integral = f->trial + (i + 1) * size + size - 1;
        *integral = f->y[size - 1];
        for (int j = 0; j < s; j++)
            *integral += h * f->matrix[i * s + j] * trace_of(f->stage_jacobian + j * n * n, n);
    }
    for (int c = 0; c < m; c++) {
        rate_of_column(f, f->jacobian, f->added, f->y + n + c, m, c, rate);
        for (int r = 0; r < n; r++)
            f->raw[r] = h * f->gamma * rate[r];
        for (int j = 0; j < s; j++) {
            rate_of_column(f, f->stage_jacobian + j * n * n, f->stage_added + j * n,
                           f->trial + (j + 1) * size + n + c, m, c, rate);
            for (int r = 0; r < n; r++)
                f->raw[r] += h * f->error[j] * rate[r];
        }
        sum += squares(f, n + c, m);
    }
    return m ? sqrt(sum / (n * m)) : 0;
}

/* Slopes at the stages; without columns only those at the end, for the next step. */
static int slopes_at_stages(mb_flow *f, double h)
{
    const int n = states(f), size = size_of(f);
    for (int j = f->columns < 0 ? f->stages - 1 : 0; j < f->stages; j++) {
        if (!find_rate(f, f->t + f->node[j] * h, f->trial + (j + 1) * size, f->last_rate))
            return 0;
        find_slopes(f, f->stage_jacobian + j * n * n, f->stage_added + j * n);
    }
    return 1;
}

/* Makes the step on trial; returns its error, or NaN where it is not possible. */
static double try_step(mb_flow *f, double h)
{
    if (!find_stages(f, h) || !factorize_filter(f, h))
        return NAN;
    double error = try_state(f, h);
    if (!(error <= 1))
        return error;
    if (!slopes_at_stages(f, h))
        return NAN;
    if (f->columns >= 0) {
        const double others = try_columns(f, h);
        error = isnan(others) ? NAN : fmax(error, others); /* fmax would drop NaN */
    }
    return error;
}

static void accept_step(mb_flow *f, double h)
{
    const int n = states(f), s = f->stages, size = size_of(f);
    memcpy(f->step, f->trial, (size_t)((s + 1) * size) * sizeof(double));
    f->last = h;
    memcpy(f->rate, f->last_rate, (size_t)n * sizeof(double));
    memcpy(f->jacobian, f->stage_jacobian + (s - 1) * n * n, (size_t)(n * n) * sizeof(double));
    memcpy(f->added, f->stage_added + (s - 1) * n, (size_t)n * sizeof(double));
    f->t = h == f->until - f->t ? f->until : f->t + h; /* exactly the end */
    memcpy(f->y, f->step + s * size, (size_t)size * sizeof(double));
}

/* Makes a step from the present values. */
MB_EXPORT int mb_flow_step(mb_flow *f)
{
    f->ended = 0;
    for (;;) {
        const double left = f->until - f->t;
        double h = fmin(fmin(f->next, f->longest_step), left);
        if (left < JUST_OVER * h)
            h = left;
        if (!(h > 10 * DBL_EPSILON * fabs(f->t)) || !(h > DBL_MIN))
            return MB_FLOW_STUCK;
        const double error = try_step(f, h);
        if (f->ended)
            return MB_FLOW_ENDED;
        if (isnan(error)) {
            f->next = h / 4;
            continue;
        }
        const double factor = error > 0 ? SAFETY * pow(error, -1.0 / (f->stages + 1)) : GROW;
        f->next = h * fmin(GROW, fmax(SHRINK, factor));
        if (error <= 1) {
            accept_step(f, h);
            return MB_FLOW_STEPPED;
        }
    }
}

/* Finds rates and slopes at the first values, and a length of the first step. */
MB_EXPORT int mb_flow_begin(mb_flow *f)
{
    const int n = states(f);
    double fast = 0;
    f->ended = 0;
    f->last = 0;
    memcpy(f->step, f->y, (size_t)size_of(f) * sizeof(double));
    if (!find_rate(f, f->t, f->y, f->rate))
        return f->ended ? MB_FLOW_ENDED : MB_FLOW_STUCK;
    find_slopes(f, f->jacobian, f->added);
    for (int i = 0; i < n; i++) {
        const double part = f->rate[i] / fmax(fabs(f->y[i]), 1e-6);
        fast += part * part;
    }
    f->next = 1e-2 / fmax(sqrt(fast), 1e-2 / fmax(f->until - f->t, 1e-12));
    return MB_FLOW_STEPPED;
}

MB_EXPORT void mb_flow_close(mb_flow *f)
{
    if (!f)
        return;
    free(f->block);
    free(f->pivot);
    free(f);
}

/* What integrates with so many stages and columns, -1 for no derivative; NULL where there is not
 * enough memory. */
MB_EXPORT mb_flow *mb_flow_open(mb_analysis *analysis, int stages, int columns)
{
    mb_flow *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->analysis = analysis;
    f->stages = stages;
    f->columns = columns;
    const size_t n = (size_t)states(f), s = (size_t)stages, sn = s * n, size = (size_t)size_of(f);
    struct {
        double **place;
        size_t count;
    } const part[] = {{&f->y, size},
                      {&f->step, (s + 1) * size},
                      {&f->trial, (s + 1) * size},
                      {&f->rate, n},
                      {&f->jacobian, n * n},
                      {&f->added, n},
                      {&f->stage_jacobian, sn * n},
                      {&f->stage_added, sn},
                      {&f->moved, sn},
                      {&f->stage_rate, sn},
                      {&f->change, sn},
                      {&f->raw, n},
                      {&f->last_rate, n},
                      {&f->system, sn * sn},
                      {&f->filter, n * n},
                      {&f->weight, s + 1}};
    const size_t parts = sizeof part / sizeof *part;
    size_t all = 1;
    for (size_t k = 0; k < parts; k++)
        all += part[k].count;
    double *place = f->block = calloc(all, sizeof(double));
    f->pivot = calloc(sn + 1, sizeof(int));
    if (!place || !f->pivot) {
        mb_flow_close(f);
        return NULL;
    }
    for (size_t k = 0; k < parts; k++) {
        *part[k].place = place;
        place += part[k].count;
    }
    return f;
}
