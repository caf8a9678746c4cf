/* States between the ends of a step, from its stages.
 *
 * Orders 8 and 5: the interpolants of DOP853 (of order 7, with three more stages) and of DOPRI5 by
 * E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, section II.6; that of
 * order 5 in the form of L. F. Shampine: Some practical Runge-Kutta formulas. Math. Comp. 46 (1986).
 * RODAS: that of its authors, of order 3. All others: of third order, from values and rates.
 */
#include <string.h>

#include "mb_integrator.h"

enum { STAGES_8 = 12, ALL_8 = 16, STAGES_5 = 7, TERMS_5 = 4, STAGES_RODAS = 5 };

static const double A_MORE[MB_DENSE_RATES][ALL_8 - 1] = {
    {0.056167502283047954, 0, 0, 0, 0, 0, 0.25350021021662483, -0.2462390374708025,
     -0.12419142326381637, 0.15329179827876568, 0.00820105229563469, 0.007567897660545699, -0.008298},
    {0.03183464816350214, 0, 0, 0, 0, 0.028300909672366776, 0.053541988307438566,
     -0.05492374857139099, 0, 0, -0.00010834732869724932, 0.0003825710908356584,
     -0.00034046500868740456, 0.1413124436746325},
    {-0.42889630158379194, 0, 0, 0, 0, -4.697621415361164, 7.683421196062599, 4.06898981839711,
     0.3567271874552811, 0, 0, 0, -0.0013990241651590145, 2.9475147891527724, -9.15095847217987}};
static const double C_MORE[MB_DENSE_RATES] = {0.1, 0.2, 0.7777777777777778};
static const double D_8[4][ALL_8] = {
    {-8.428938276109013, 0, 0, 0, 0, 0.5667149535193777, -3.0689499459498917, 2.38466765651207,
     2.117034582445028, -0.871391583777973, 2.2404374302607883, 0.6315787787694688,
     -0.08899033645133331, 18.148505520854727, -9.194632392478356, -4.436036387594894},
    {10.427508642579134, 0, 0, 0, 0, 242.28349177525817, 165.20045171727028, -374.5467547226902,
     -22.113666853125306, 7.733432668472264, -30.674084731089398, -9.332130526430229,
     15.697238121770845, -31.139403219565178, -9.35292435884448, 35.81684148639408},
    {19.985053242002433, 0, 0, 0, 0, -387.0373087493518, -189.17813819516758, 527.8081592054236,
     -11.57390253995963, 6.8812326946963, -1.0006050966910838, 0.7777137798053443,
     -2.778205752353508, -60.19669523126412, 84.32040550667716, 11.99229113618279},
    {-25.69393346270375, 0, 0, 0, 0, -154.18974869023643, -231.5293791760455, 357.6391179106141,
     93.40532418362432, -37.45832313645163, 104.0996495089623, 29.8402934266605,
     -43.53345659001114, 96.32455395918828, -39.17726167561544, -149.72683625798564}};

static const double P_5[STAGES_5][TERMS_5] = {
    {1.0, -2.8535800653862835, 3.0717434641059005, -1.1270175653862835},
    {0},
    {0, 4.023133379230305, -6.249321565289, 2.675424484351598},
    {0, -3.7324019615885042, 10.068970589843675, -5.685526961588504},
    {0, 2.5548038301849423, -6.399112377351017, 3.5219323679207912},
    {0, -1.3744241142186024, 3.272657752246729, -1.7672812570757455},
    {0, 1.3824689317781436, -3.764937863556287, 2.382468931778144}};

static const double H_RODAS[2][STAGES_RODAS] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
     1.025137723295662},
    {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
     -6.594389125716872}};

static double weighted(const double *weight, const double *const *rate, int n, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        if (weight[j] != 0)
            sum += weight[j] * rate[j][i];
    return sum;
}

static mb_status begin_order_8(mb_instance *m, const double *to, const double *to_rate)
{
    const int n = MB_MODEL->ns;
    const double h = m->stage_step, *from = m->accepted.s;
    const double *rate[ALL_8];
    for (int j = 0; j < STAGES_8; j++)
        rate[j] = m->stage[j];
    rate[STAGES_8] = to_rate;
    for (int k = 0; k < MB_DENSE_RATES; k++) {
        const int known = STAGES_8 + 1 + k;
        for (int i = 0; i < n; i++)
            m->now.s[i] = from[i] + h * weighted(A_MORE[k], rate, known, i);
        mb_go_to(m, m->accepted.t + C_MORE[k] * h);
        const mb_status status = mb_derive(m, m->dense_rate[k]);
        if (status)
            return status;
        rate[known] = m->dense_rate[k];
    }
    for (int i = 0; i < n; i++) {
        const double moved = to[i] - from[i];
        m->term[0][i] = moved;
        m->term[1][i] = h * rate[0][i] - moved;
        m->term[2][i] = 2 * moved - h * (rate[STAGES_8][i] + rate[0][i]);
        for (int k = 0; k < 4; k++)
            m->term[3 + k][i] = h * weighted(D_8[k], rate, ALL_8, i);
    }
    return MB_OK;
}

static void begin_order_5(mb_instance *m, const double *to_rate)
{
    const double *rate[STAGES_5];
    for (int j = 0; j < STAGES_5 - 1; j++)
        rate[j] = m->stage[j];
    rate[STAGES_5 - 1] = to_rate;
    for (int i = 0; i < MB_MODEL->ns; i++)
        for (int k = 0; k < TERMS_5; k++) {
            double sum = 0;
            for (int j = 0; j < STAGES_5; j++)
                sum += P_5[j][k] * rate[j][i];
            m->term[k][i] = m->stage_step * sum;
        }
}

static void begin_rodas(mb_instance *m, const double *to)
{
    const double *change[STAGES_RODAS];
    for (int j = 0; j < STAGES_RODAS; j++)
        change[j] = m->stage[j + 1];
    for (int i = 0; i < MB_MODEL->ns; i++) {
        m->term[0][i] = to[i];
        for (int k = 0; k < 2; k++)
            m->term[1 + k][i] = weighted(H_RODAS[k], change, STAGES_RODAS, i);
    }
}

static void begin_ends(mb_instance *m, const double *to, const double *to_rate)
{
    const size_t size = (size_t)MB_MODEL->ns * sizeof(double);
    memcpy(m->term[0], to, size);
    memcpy(m->term[1], to_rate, size);
}

/* Prepares the interpolant of the last step that was attempted, which ends with a state and a rate, unless
 * that has been done. It may leave `now` elsewhere. */
mb_status mb_begin_dense(mb_instance *m, const double *to, const double *to_rate)
{
    if (m->dense_known)
        return MB_OK;
    mb_status status = MB_OK;
    if (m->method->dense == MB_DENSE_OWN)
        status = begin_order_8(m, to, to_rate);
    else if (m->method->dense == MB_DENSE_RK45)
        begin_order_5(m, to_rate);
    else if (m->method->dense == MB_DENSE_RODAS)
        begin_rodas(m, to);
    else
        begin_ends(m, to, to_rate);
    m->dense_known = !status;
    return status;
}

static double at_order_8(const mb_instance *m, double x, int i)
{
    double sum = 0;
    for (int k = MB_DENSE_TERMS - 1; k >= 0; k--)
        sum = (sum + m->term[k][i]) * (k % 2 ? 1 - x : x);
    return m->accepted.s[i] + sum;
}

static double at_order_5(const mb_instance *m, double x, int i)
{
    double sum = 0;
    for (int k = TERMS_5 - 1; k >= 0; k--)
        sum = (sum + m->term[k][i]) * x;
    return m->accepted.s[i] + sum;
}

static double at_rodas(const mb_instance *m, double x, int i)
{
    const double inner = m->term[1][i] + x * m->term[2][i];
    return m->accepted.s[i] * (1 - x) + x * (m->term[0][i] + (1 - x) * inner);
}

static double at_ends(const mb_instance *m, double x, int i)
{
    const double h = m->stage_step, a = x * x * (3 - 2 * x);
    const double b = h * x * (1 - x) * (1 - x), c = h * x * x * (x - 1);
    return (1 - a) * m->accepted.s[i] + b * m->stage[0][i] + a * m->term[0][i] +
           c * m->term[1][i];
}

/* The state at a time in the step. */
void mb_dense_state(const mb_instance *m, double t, double *s)
{
    const double x = (t - m->accepted.t) / m->stage_step;
    for (int i = 0; i < MB_MODEL->ns; i++)
        switch (m->method->dense) {
        case MB_DENSE_OWN:
            s[i] = at_order_8(m, x, i);
            break;
        case MB_DENSE_RK45:
            s[i] = at_order_5(m, x, i);
            break;
        case MB_DENSE_RODAS:
            s[i] = at_rodas(m, x, i);
            break;
        default:
            s[i] = at_ends(m, x, i);
        }
}
