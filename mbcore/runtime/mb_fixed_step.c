/* The classical Runge-Kutta method of order 4, in steps of the size asked for. */
#include "mb_integrator.h"

static void advance(mb_instance *m, double h, const double *rate)
{
    for (int i = 0; i < m->model->ns; i++)
        m->now.s[i] = m->accepted.s[i] + h * rate[i];
}

static mb_status attempt(mb_instance *m, double h, double t, double *error)
{
    double **k = m->stage;
    mb_status status;
    advance(m, h / 2, k[0]);
    if ((status = mb_stage(m, h, 0.5, k[1])))
        return status;
    advance(m, h / 2, k[1]);
    if ((status = mb_stage(m, h, 0.5, k[2])))
        return status;
    advance(m, h, k[2]);
    if ((status = mb_stage(m, h, 1, k[3])))
        return status;
    for (int i = 0; i < m->model->ns; i++)
        m->now.s[i] =
            m->accepted.s[i] + h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    *error = 0;
    m->now.t = t;
    m->fresh = 0;
    return mb_configure(m); /* the rate there is the next step's, with inputs that may change */
}

const mb_method mb_fixed_step = {attempt, NULL, 0, 0, 0};
