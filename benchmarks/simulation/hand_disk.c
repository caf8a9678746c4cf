/* The rolling disk derived by hand: what a specialist would write for this one system.
 *
 * A thin uniform disk, m = r = g = 1, rolls on the plane z = 0. Its orientation is
 * R_z(yaw) R_x(lean) R_y(pitch). In the frame that yaws and leans but does not pitch, with
 *   e1 = heading (horizontal), e2 = axle, e3 = from contact point to centre,
 * the frame turns with   W = (lean', yaw' sin lean, yaw' cos lean),
 * and the disk with      w = (lean', pitch' + yaw' sin lean, yaw' cos lean).
 *
 * No slip: the centre's velocity is w x e3 = (w2, -w1, 0); its acceleration, with W3 = w3,
 *   a = (w2' + w3 w1, -w1' + w3 w2, -w1^2 - W2 w2).
 * Newton: the contact force is F = a + (0, sin lean, cos lean), the latter against gravity.
 * Euler, about the centre, with moments of inertia A = 1/4 (diametral) and B = 1/2 (axial):
 *   (A w1', B w2', A w3') + W x (A w1, B w2, A w3) = -e3 x F = (F2, -F1, 0).
 * With F inserted,
 *   (A + 1) w1' = (B + 1) w2 w3 - A W2 w3 + sin lean
 *   (B + 1) w2' = -w1 w3
 *    A      w3' = -w1 (B w2 - A W2),
 * and the second derivatives of the angles follow from those of w. The contact point moves with
 * w x e3 - W x e3 = pitch' e1.
 */
#include <math.h>

#include "hand_disk.h"

static const double A = 0.25, B = 0.5;

typedef struct {
    double sine, cosine; /* of lean */
    double w1, w2, w3, W2;
    double w1_rate, w2_rate, w3_rate;
} motion;

static motion move(const double s[8])
{
    motion m;
    m.sine = sin(s[4]);
    m.cosine = cos(s[4]);
    m.W2 = s[0] * m.sine;
    m.w1 = s[1];
    m.w2 = s[2] + m.W2;
    m.w3 = s[0] * m.cosine;
    m.w1_rate = ((B + 1) * m.w2 * m.w3 - A * m.W2 * m.w3 + m.sine) / (A + 1);
    m.w2_rate = -m.w1 * m.w3 / (B + 1);
    m.w3_rate = -m.w1 * (B * m.w2 - A * m.W2) / A;
    return m;
}

static void differentiate(const motion *m, const double s[8], double rate[8])
{
    rate[0] = (m->w3_rate + s[0] * s[1] * m->sine) / m->cosine;
    rate[1] = m->w1_rate;
    rate[2] = m->w2_rate - rate[0] * m->sine - s[0] * s[1] * m->cosine;
    rate[3] = s[0];
    rate[4] = s[1];
    rate[5] = s[2];
    rate[6] = s[2] * cos(s[3]);
    rate[7] = s[2] * sin(s[3]);
}

void hand_disk(const double s[8], double rate[8])
{
    const motion m = move(s);
    differentiate(&m, s, rate);
}

void hand_disk_with_forces(const double s[8], double rate[8], double force[3])
{
    const motion m = move(s);
    const double F1 = m.w2_rate + m.w3 * m.w1;
    const double F2 = -m.w1_rate + m.w3 * m.w2 + m.sine;
    const double F3 = -m.w1 * m.w1 - m.W2 * m.w2 + m.cosine;
    differentiate(&m, s, rate);
    force[0] = F1;
    force[1] = F2 * m.cosine - F3 * m.sine;
    force[2] = F2 * m.sine + F3 * m.cosine;
}
