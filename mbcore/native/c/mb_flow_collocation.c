/* Implicit steps: Radau collocation of the state with its derivative, the compiled form of
 * mbcore/periodic/collocation.py, which says how it works; both take the same steps.
 */
#include <math.h>
#include <string.h>

#include "mb_flow.h"

/* Replaces a matrix by its factors; returns 0 if it is singular. */
static int factorize(mb_flow *f, double *matrix, int n)
{
    int failed = 0;
    f->factorize(&n, &n, matrix, &n, f->pivot, &failed);
    return !failed;
}

/* Replaces right-hand sides by the solutions. */
static void solve(mb_flow *f, double *factors, double *right, int n, int count)
{
    int failed = 0;
    char transposed = 'N';
    f->solve(&transposed, &n, &count, factors, &n, f->pivot, right, &n, &failed);
}

/* Weights of a step's values at a part of it. */
static void lagrange(const mb_flow *f, double part, double *weight)
{
    const mb_collocation *method = f->collocation;
    for (int j = 0; j <= method->stages; j++) {
        const double own = j ? method->node[j - 1] : 0;
        weight[j] = 1;
        for (int i = 0; i <= method->stages; i++) {
            const double other = i ? method->node[i - 1] : 0;
            if (i != j)
                weight[j] *= (part - other) / (own - other);
        }
    }
}

/* The first values at a part of the last step, by its polynomial. */
void mb_collocation_between(mb_flow *f, double part, int count, double *to)
{
    const int size = mb_flow_size(f);
    lagrange(f, part, f->weight);
    for (int i = 0; i < count; i++) {
        to[i] = 0;
        for (int k = 0; k <= f->collocation->stages; k++)
            to[i] += f->weight[k] * f->step[k * size + i];
    }
}

/* A guess of the stages less the begin, by the polynomial of the last step. */
static void guess(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages;
    memset(f->moved, 0, (size_t)(s * n) * sizeof(double));
    if (!(h <= method->farthest * f->last))
        return;
    for (int j = 0; j < s; j++) {
        double *moved = f->moved + j * n;
        mb_collocation_between(f, 1 + h / f->last * method->node[j], n, moved);
        for (int i = 0; i < n; i++)
            moved[i] -= f->y[i];
    }
}

/* Fills I - h A (x) J; each stage has its own J where `apart` is not 0. */
static void fill_system(mb_flow *f, double h, const double *jacobian, int apart)
{
    const int n = mb_flow_states(f), s = f->collocation->stages, sn = s * n;
    for (int j = 0; j < s; j++)
        for (int c = 0; c < n; c++) {
            const double *from = jacobian + j * apart + c * n;
            double *to = f->system + (size_t)(j * n + c) * (size_t)sn;
            for (int i = 0; i < s; i++) {
                const double factor = -h * f->collocation->matrix[i * s + j];
                for (int r = 0; r < n; r++)
                    to[i * n + r] = factor * from[r];
            }
            to[j * n + c] += 1;
        }
}

static int rates_at_stages(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f);
    for (int j = 0; j < method->stages; j++) {
        for (int i = 0; i < n; i++)
            f->raw[i] = f->y[i] + f->moved[j * n + i];
        if (!mb_flow_rate(f, f->t + method->node[j] * h, f->raw, f->stage_rate + j * n))
            return 0;
    }
    return 1;
}

/* h A times the rates at the stages, for stage i and state r. */
static double advance(const mb_flow *f, double h, int i, int r)
{
    const int n = mb_flow_states(f), s = f->collocation->stages;
    double sum = 0;
    for (int j = 0; j < s; j++)
        sum += f->collocation->matrix[i * s + j] * f->stage_rate[j * n + r];
    return h * sum;
}

/* The change of a Newton step, its size in tolerances, and whether it is below rounding. */
static double newton_change(mb_flow *f, double h, int *rounding)
{
    const int n = mb_flow_states(f), s = f->collocation->stages;
    double size = 0;
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++)
            f->change[i * n + r] = advance(f, h, i, r) - f->moved[i * n + r];
    solve(f, f->system, f->change, s * n, 1);
    *rounding = 1;
    for (int k = 0; k < s * n; k++) {
        const int r = k % n;
        const double from = fabs(f->y[r]), change = fabs(f->change[k]);
        const double least = f->collocation->rounding *
                             (from + h * fabs(f->rate[r]) + f->absolute[r] / f->relative);
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
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages;
    double before = INFINITY;
    if (!mb_all_finite(f->jacobian, n * n))
        return 0;
    fill_system(f, h, f->jacobian, 0);
    if (!factorize(f, f->system, s * n))
        return 0;
    guess(f, h);
    for (int iteration = 0; iteration < method->iterations; iteration++) {
        int rounding;
        if (!rates_at_stages(f, h))
            return 0;
        const double size = newton_change(f, h, &rounding);
        if (size <= method->accuracy || rounding || (size <= method->doubtful && size >= before)) {
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
    const int n = mb_flow_states(f);
    for (int k = 0; k < n * n; k++)
        f->filter[k] = -h * f->collocation->gamma * f->jacobian[k];
    for (int i = 0; i < n; i++)
        f->filter[i + n * i] += 1;
    return factorize(f, f->filter, n);
}

/* The mean of errors of `count` columns in parts of tolerances, from the unfiltered ones, which lie
 * behind each other, [HairerWanner] (8.19). Their values begin at `first`. */
static double mean_error(mb_flow *f, double *raw, int first, int count)
{
    const int n = mb_flow_states(f);
    const double *end = f->trial + f->collocation->stages * mb_flow_size(f);
    double sum = 0;
    solve(f, f->filter, raw, n, count);
    for (int c = 0; c < count; c++)
        for (int i = 0; i < n; i++) {
            const int place = first + i * count + c;
            const double largest = fmax(fabs(f->y[place]), fabs(end[place]));
            const double part = raw[c * n + i] / (f->absolute[place] + f->relative * largest);
            sum += part * part;
        }
    return sqrt(sum / (n * count));
}

static double try_state(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages, size = mb_flow_size(f);
    memcpy(f->trial, f->y, (size_t)size * sizeof(double));
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++)
            f->trial[(i + 1) * size + r] = f->y[r] + advance(f, h, i, r);
    for (int r = 0; r < n; r++) {
        double sum = method->gamma * f->rate[r];
        for (int j = 0; j < s; j++)
            sum += method->error[j] * f->stage_rate[j * n + r];
        f->raw[r] = h * sum;
    }
    return mean_error(f, f->raw, 0, 1);
}

/* Solves for the columns at the stages of the trial step. */
static int solve_columns(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages, size = mb_flow_size(f), m = f->columns;
    fill_system(f, h, f->stage_jacobian, n * n);
    if (!factorize(f, f->system, s * n))
        return 0;
    for (int c = 0; c < m; c++)
        for (int i = 0; i < s; i++)
            for (int r = 0; r < n; r++) {
                double sum = 0;
                for (int j = 0; c >= f->starts && j < s; j++)
                    sum += method->matrix[i * s + j] *
                           f->stage_added[(j * f->varied + c - f->starts) * n + r];
                f->right[(c * s + i) * n + r] = f->y[n + r * m + c] + h * sum;
            }
    solve(f, f->system, f->right, s * n, m);
    for (int c = 0; c < m; c++)
        for (int i = 0; i < s; i++)
            for (int r = 0; r < n; r++)
                f->trial[(i + 1) * size + n + r * m + c] = f->right[(c * s + i) * n + r];
    return 1;
}

static void try_integral(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages, size = mb_flow_size(f);
    for (int i = 0; i < s; i++) {
        double *integral = f->trial + (i + 1) * size + size - 1;
        *integral = f->y[size - 1];
        for (int j = 0; j < s; j++)
            *integral +=
                h * method->matrix[i * s + j] * mb_flow_trace(f->stage_jacobian + j * n * n, n);
    }
}

/* Takes the columns and the integral through the trial step; returns their error. */
static double try_columns(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), s = method->stages, size = mb_flow_size(f), m = f->columns;
    double *raw = f->right, *sum = raw + n * m, *rate = sum + n * m; /* there are more stages */
    try_integral(f, h);
    if (!m)
        return 0;
    if (!solve_columns(f, h) || !factorize_filter(f, h))
        return INFINITY;
    mb_flow_rates_of_columns(f, f->jacobian, f->added, f->y + n, rate);
    for (int k = 0; k < n * m; k++)
        sum[k] = method->gamma * rate[k];
    for (int j = 0; j < s; j++) {
        mb_flow_rates_of_columns(f, f->stage_jacobian + j * n * n, f->stage_added + j * f->varied * n,
                                 f->trial + (j + 1) * size + n, rate);
        for (int k = 0; k < n * m; k++)
            sum[k] += method->error[j] * rate[k];
    }
    for (int c = 0; c < m; c++)
        for (int r = 0; r < n; r++)
            raw[c * n + r] = h * sum[r * m + c];
    return mean_error(f, raw, n, m);
}

/* Slopes at the stages; without columns only those at the end, for the next step. */
static int slopes_at_stages(mb_flow *f, double h)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f), size = mb_flow_size(f);
    for (int j = f->columns < 0 ? method->stages - 1 : 0; j < method->stages; j++) {
        const double *s = f->trial + (j + 1) * size;
        if (!mb_flow_rate(f, f->t + method->node[j] * h, s, f->last_rate))
            return 0;
        mb_flow_slopes(f, f->stage_jacobian + j * n * n, f->stage_added + j * f->varied * n);
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
    const int n = mb_flow_states(f), s = f->collocation->stages, size = mb_flow_size(f);
    const int added = n * f->varied;
    memcpy(f->step, f->trial, (size_t)((s + 1) * size) * sizeof(double));
    f->last = h;
    memcpy(f->rate, f->last_rate, (size_t)n * sizeof(double));
    memcpy(f->jacobian, f->stage_jacobian + (s - 1) * n * n, (size_t)(n * n) * sizeof(double));
    memcpy(f->added, f->stage_added + (s - 1) * added, (size_t)added * sizeof(double));
    f->t = h == f->until - f->t ? f->until : f->t + h; /* exactly the end */
    memcpy(f->y, f->step + s * size, (size_t)size * sizeof(double));
}

int mb_collocation_step(mb_flow *f)
{
    const mb_collocation *method = f->collocation;
    for (;;) {
        const double left = f->until - f->t;
        double h = fmin(fmin(f->next, f->longest_step), left);
        if (left < method->just_over * h)
            h = left;
        const double spacing = nextafter(fabs(f->t), INFINITY) - fabs(f->t);
        if (!(h > method->least * spacing))
            return MB_FLOW_STUCK;
        const double error = try_step(f, h);
        if (f->ended)
            return MB_FLOW_ENDED;
        if (isnan(error)) {
            f->next = h / method->divided;
            continue;
        }
        const double power = pow(error, -1.0 / (method->stages + 1));
        const double factor = error > 0 ? method->safety * power : method->grow;
        f->next = h * fmin(method->grow, fmax(method->shrink, factor));
        if (error <= 1) {
            accept_step(f, h);
            return MB_FLOW_STEPPED;
        }
    }
}

/* Finds rates and slopes at the first values, and a length of the first step. */
int mb_collocation_begin(mb_flow *f)
{
    const mb_collocation *method = f->collocation;
    const int n = mb_flow_states(f);
    double fast = 0;
    memcpy(f->step, f->y, (size_t)mb_flow_size(f) * sizeof(double));
    if (!mb_flow_rate(f, f->t, f->y, f->rate))
        return f->ended ? MB_FLOW_ENDED : MB_FLOW_STUCK;
    mb_flow_slopes(f, f->jacobian, f->added);
    for (int i = 0; i < n; i++) {
        const double part = f->rate[i] / fmax(fabs(f->y[i]), method->small);
        fast += part * part;
    }
    f->next = method->first / fmax(sqrt(fast), method->first / (f->until - f->t));
    return MB_FLOW_STEPPED;
}
