/* The method of Dormand and Prince, order 5 with an error estimate of order 4.
 *
 * J. R. Dormand, P. J. Prince: A family of embedded Runge-Kutta formulae. J. Comp. Appl. Math. 6
 * (1980). Its last stage is the next step's first one.
 */
#include "mb_integrator.h"

enum { STAGES = 7 };

static const double A[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double C[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double E[STAGES] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static void advance(mb_instance *m, double h, int stage)
{
    for (int i = 0; i < m->model->ns; i++) {
        double slope = 0;
        for (int j = 0; j < stage; j++)
            slope += A[stage][j] * m->stage[j][i];
        m->now.s[i] = m->accepted.s[i] + h * slope;
    }
}

static mb_status attempt(mb_instance *m, double h, double t, double *error)
{
    mb_status status = MB_OK;
    for (int stage = 1; !status && stage < STAGES - 1; stage++) {
        advance(m, h, stage);
        status = mb_stage(m, h, C[stage], m->stage[stage]);
    }
    if (status)
        return status;
    advance(m, h, STAGES - 1);
    status = mb_arrive(m, t);
    if (status)
        return status;

    double *difference = m->stage[STAGES - 1];
    for (int i = 0; i < m->model->ns; i++) {
        double sum = E[STAGES - 1] * m->rate[i];
        for (int j = 0; j < STAGES - 1; j++)
            sum += E[j] * m->stage[j][i];
        difference[i] = h * sum;
    }
    *error = mb_error_norm(m, difference);
    return MB_OK;
}

const mb_method mb_runge_kutta = {attempt, NULL, 1, 1.0 / 5, 0.04};
