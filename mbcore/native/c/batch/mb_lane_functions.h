/* Elementary functions in lanes, with an error of at most two units in the last place: no branch, no
 * table, no fused operation, so the bits are the same on every machine. Arguments that are rare, such as
 * angles of many thousand turns, go to libm, lane by lane.
 *
 * Polynomials are Chebyshev interpolants of the functions' remainders behind their first terms.
 */
#ifndef MB_LANE_FUNCTIONS_H
#define MB_LANE_FUNCTIONS_H

#include "mb_lanes.h"

#define MB_POLYNOMIAL(z, coefficients)                                                               \
    mb_polynomial(z, coefficients, (int)(sizeof(coefficients) / sizeof *(coefficients)))

static inline __attribute__((always_inline)) mb_lane mb_polynomial(mb_lane z, const double *c, int n)
{
    mb_lane sum = mb_all(c[n - 1]);
#pragma GCC unroll 16
    for (int i = n - 2; i >= 0; i--)
        sum = sum * z + c[i];
    return sum;
}

/* Adding it leaves a whole number in the last bits. */
static const double MB_WHOLE = 6755399441055744.0; /* 1.5 * 2^52 */

/* Angles */

/* Half of pi in three parts; products of the first two with whole numbers below 2^20 are exact. */
static const double MB_HALF_PI[3] = {1.5707963267341256, 6.077100506303966e-11,
                                     2.0222662487959506e-21};
static const double MB_FAR_ANGLE = 1.6e6;
static const double MB_SIN[] = {-0.16666666666666666,    0.008333333333333331,
                                -0.00019841269841265065, 2.7557319219339167e-06,
                                -2.5052106232447578e-08, 1.6058531618986147e-10,
                                -7.586697117706918e-13};
static const double MB_COS[] = {0.041666666666666664,    -0.0013888888888888887,
                                2.4801587301584645e-05,  -2.7557319221402824e-07,
                                2.087675579108042e-09,   -1.1470460887609959e-11,
                                4.7458719020432915e-14};

typedef struct {
    mb_lane sin, cos; /* of what is left of the angle, within a quarter of pi */
    mb_mask quarters;
} mb_turn;

static inline mb_turn mb_turned(mb_lane x)
{
    const mb_lane shifted = x * 0.6366197723675814 + MB_WHOLE, k = shifted - MB_WHOLE;
    const mb_lane first = x - k * MB_HALF_PI[0], taken = k * MB_HALF_PI[1];
    const mb_lane second = first - taken;
    const mb_lane rest = ((first - second) - taken) - k * MB_HALF_PI[2];
    const mb_lane y = second + rest, low = (second - y) + rest, z = y * y;
    const mb_lane cube = z * y, half = 0.5 * z, one = 1 - half;
    mb_turn turn;
    turn.sin = y - ((half * low - low) - cube * MB_POLYNOMIAL(z, MB_SIN));
    turn.cos = one + (((1 - one) - half) + (z * z * MB_POLYNOMIAL(z, MB_COS) - y * low));
    turn.quarters = MB_BITS(shifted) & 3;
    return turn;
}

/* Sine of the angle and of so many quarters of a turn more. */
static inline mb_lane mb_sine_of(const mb_turn *turn, long long more)
{
    const mb_mask quarters = turn->quarters + more;
    const mb_lane size = mb_choose((quarters & 1) != 0, turn->cos, turn->sin);
    return (mb_lane)(MB_BITS(size) ^ ((quarters & 2) << 62));
}

MB_LANE mb_lane_sin(mb_lane x)
{
    const mb_turn turn = mb_turned(x);
    const mb_mask far = ~(mb_magnitude(x) < MB_FAR_ANGLE), zero = x == 0;
    const mb_lane near = mb_choose(zero, x, mb_sine_of(&turn, 0));
    return mb_any(far) ? mb_choose(far, mb_each_sin(x), near) : near;
}

MB_LANE mb_lane_cos(mb_lane x)
{
    const mb_turn turn = mb_turned(x);
    const mb_mask far = ~(mb_magnitude(x) < MB_FAR_ANGLE);
    const mb_lane near = mb_sine_of(&turn, 1);
    return mb_any(far) ? mb_choose(far, mb_each_cos(x), near) : near;
}

MB_LANE mb_lane_tan(mb_lane x)
{
    const mb_turn turn = mb_turned(x);
    const mb_mask far = ~(mb_magnitude(x) < MB_FAR_ANGLE), zero = x == 0;
    const mb_lane near = mb_choose(zero, x, mb_sine_of(&turn, 0) / mb_sine_of(&turn, 1));
    return mb_any(far) ? mb_choose(far, mb_each_tan(x), near) : near;
}

/* Arcs */

static const double MB_ATAN[] = {
    -0.3333333333333333,   0.19999999999999804, -0.14285714285659828, 0.11111111105155447,
    -0.09090908753500877,  0.07692296375032143, -0.06666424885738255, 0.05878928997834775,
    -0.05230454270650244,  0.04551593220626549, -0.034570561981427744, 0.016285756855221028};
static const double MB_ASIN[] = {
    0.16666666666666666,  0.07500000000000118,  0.044642857142551895, 0.03038194447553234,
    0.02237215744350722,  0.017352816540325496, 0.01396378001220357,  0.011566459612121669,
    0.009621842970100282, 0.009319560794767446, 0.0030448799094556773, 0.019554513336123378,
    -0.01924167174674304, 0.02961201126495512};
static const double MB_PI = 3.141592653589793, MB_PI_LOW = 1.2246467991473532e-16;
static const double MB_TAN_EIGHTH = 0.41421356237309503, MB_TAN_THREE_EIGHTHS = 2.414213562373095;

/* Of a number that is not negative. */
static inline mb_lane mb_arc(mb_lane a)
{
    const mb_mask large = a > MB_TAN_THREE_EIGHTHS, middle = (a > MB_TAN_EIGHTH) & ~large;
    const mb_lane above = mb_choose(large, mb_all(-1), mb_choose(middle, a - 1, a));
    const mb_lane below = mb_choose(large, a, mb_choose(middle, a + 1, mb_all(1)));
    const mb_lane t = above / below, z = t * t;
    const mb_lane part = mb_choose(large, mb_all(0.5), mb_choose(middle, mb_all(0.25), mb_all(0)));
    return part * MB_PI + (t + (t * z * MB_POLYNOMIAL(z, MB_ATAN) + part * MB_PI_LOW));
}

MB_LANE mb_lane_atan(mb_lane x) { return mb_with_sign_of(mb_arc(mb_magnitude(x)), x); }

MB_LANE mb_lane_atan2(mb_lane y, mb_lane x)
{
    const mb_lane up = mb_magnitude(y), along = mb_magnitude(x);
    const mb_mask steep = up > along;
    const mb_lane q = mb_choose(steep, along, up) / mb_choose(steep, up, along);
    const mb_mask usual = (q > 1e-290) & (q <= 1);
    mb_lane angle = mb_arc(q);
    angle = mb_choose(steep, 0.5 * MB_PI - (angle - 0.5 * MB_PI_LOW), angle);
    angle = mb_choose(x < 0, MB_PI - (angle - MB_PI_LOW), angle);
    angle = mb_with_sign_of(angle, y);
    return mb_any(~usual) ? mb_choose(usual, angle, mb_each_atan2(y, x)) : angle;
}

/* What an arc sine is made of: the arc itself up to 1/2, above it that of the half angle beside it. */
typedef struct {
    mb_lane arc;
    mb_mask half;
} mb_arc_sine;

static inline mb_arc_sine mb_arc_of_sine(mb_lane a)
{
    const mb_mask half = a > 0.5;
    const mb_lane z = mb_choose(half, 0.5 * (1 - a), a * a), s = mb_choose(half, mb_root(z), a);
    /* the root with what its rounding has taken away, since the arc is doubled */
    const mb_lane high = (mb_lane)(MB_BITS(s) & ~0xffffffffLL), sum = s + high;
    const mb_lane first = mb_choose(half, high, a);
    const mb_lane second = mb_choose(half & (sum > 0), (z - high * high) / sum, mb_all(0));
    const mb_lane arc = first + (second + s * (z * MB_POLYNOMIAL(z, MB_ASIN)));
    return (mb_arc_sine){arc, half};
}

MB_LANE mb_lane_asin(mb_lane x)
{
    const mb_arc_sine of = mb_arc_of_sine(mb_magnitude(x));
    const mb_lane beside = 0.5 * MB_PI - (2 * of.arc - 0.5 * MB_PI_LOW);
    return mb_with_sign_of(mb_choose(of.half, beside, of.arc), x);
}

MB_LANE mb_lane_acos(mb_lane x)
{
    const mb_arc_sine of = mb_arc_of_sine(mb_magnitude(x));
    const mb_lane beside = 0.5 * MB_PI - (mb_with_sign_of(of.arc, x) - 0.5 * MB_PI_LOW);
    const mb_lane end = mb_choose(x < 0, MB_PI - (2 * of.arc - MB_PI_LOW), 2 * of.arc);
    return mb_choose(of.half, end, beside);
}

/* Powers */

static const double MB_EXP[] = {
    0.5,                    0.16666666666666666,    0.04166666666666668,   0.008333333333333333,
    0.0013888888888878269,  0.00019841269841262761, 2.4801587338565345e-05, 2.7557319248633827e-06,
    2.755726102934377e-07,  2.5052069594795685e-08, 2.0918961837795778e-09, 1.6087177234380782e-10};
static const double MB_LOG[] = {0.6666666666666666,  0.4000000000000088,  0.28571428570803614,
                                0.22222222391713917, 0.18181795640132906, 0.15386239702814658,
                                0.13268773138656886, 0.13086626147840102};
static const double MB_LN2 = 0.6931471803691238, MB_LN2_LOW = 1.9082149292705877e-10;

/* e^x = 2^k (1 + over), |over| up to 0.42. */
typedef struct {
    mb_lane over;
    mb_mask whole; /* k */
} mb_power;

static inline mb_power mb_powered(mb_lane x)
{
    const mb_lane within = mb_choose(x > 720, mb_all(720), mb_choose(x < -760, mb_all(-760), x));
    const mb_lane shifted = within * 1.4426950408889634 + MB_WHOLE, k = shifted - MB_WHOLE;
    const mb_lane high = within - k * MB_LN2, low = k * MB_LN2_LOW, r = high - low;
    const mb_lane lost = (high - r) - low;
    mb_power power;
    power.over = r + (r * r * MB_POLYNOMIAL(r, MB_EXP) + lost);
    power.whole = MB_BITS(shifted) - MB_BITS(mb_all(MB_WHOLE));
    return power;
}

/* The number times 2^k, in two factors, of which none is out of range. */
static inline mb_lane mb_scaled(mb_lane a, mb_mask k)
{
    const mb_mask first = k >> 1;
    const mb_lane once = (mb_lane)((first + 1023) << 52);
    const mb_lane again = (mb_lane)((k - first + 1023) << 52);
    return a * once * again;
}

MB_LANE mb_lane_exp(mb_lane x)
{
    const mb_power power = mb_powered(x);
    return mb_scaled(1 + power.over, power.whole);
}

MB_LANE mb_lane_log(mb_lane x)
{
    const mb_mask usual = (x >= 2.2250738585072014e-308) & (x < (double)INFINITY);
    /* x = 2^k m, m between the roots of 1/2 and 2 */
    const long long root = 0x3fe6a09e667f3bcdLL; /* of 1/2 */
    const mb_mask k = (MB_BITS(x) - root) >> 52;
    const mb_lane m = (mb_lane)(MB_BITS(x) - (k << 52));
    const mb_lane power = (mb_lane)(k + MB_BITS(mb_all(MB_WHOLE))) - MB_WHOLE;
    const mb_lane f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    const mb_lane more = s * (half + z * MB_POLYNOMIAL(z, MB_LOG)) + power * MB_LN2_LOW;
    const mb_lane near = power * MB_LN2 - ((half - more) - f);
    return mb_any(~usual) ? mb_choose(usual, near, mb_each_log(x)) : near;
}

/* Two numbers whose sum is the value: the nearest one, and what it leaves. */
typedef struct {
    mb_lane high, low;
} mb_pair;

/* The first 26 bits; a product of two such numbers is exact, with the rest of either one, too. */
MB_LANE mb_head(mb_lane a) { return (mb_lane)(MB_BITS(a) & ~0x7ffffffLL); }

static inline mb_pair mb_product(mb_lane a, mb_lane b)
{
    const mb_lane p = a * b, a1 = mb_head(a), a2 = a - a1, b1 = mb_head(b), b2 = b - b1;
    return (mb_pair){p, (((a1 * b1 - p) + a1 * b2) + a2 * b1) + a2 * b2};
}

/* What a sum leaves; the first number is the larger one. */
static inline mb_pair mb_sum(mb_lane a, mb_lane b)
{
    const mb_lane sum = a + b;
    return (mb_pair){sum, b - (sum - a)};
}

static const double MB_LOG_REST[] = {1 / 5.0,  1 / 7.0,  1 / 9.0,  1 / 11.0, 1 / 13.0, 1 / 15.0,
                                     1 / 17.0, 1 / 19.0, 1 / 21.0, 1 / 23.0, 1 / 25.0};
static const double MB_THIRD = 0.3333333333333333, MB_THIRD_LOW = 1.850371707708594e-17;

/* The logarithm of a positive normal number with some 64 bits: 2 s (1 + s^2/3 + s^4/5 + ...). */
static inline mb_pair mb_long_log(mb_lane x)
{
    const long long root = 0x3fe6a09e667f3bcdLL; /* of 1/2 */
    const mb_mask k = (MB_BITS(x) - root) >> 52;
    const mb_lane m = (mb_lane)(MB_BITS(x) - (k << 52)), f = m - 1;
    const mb_lane power = (mb_lane)(k + MB_BITS(mb_all(MB_WHOLE))) - MB_WHOLE;
    const mb_lane below = m + 1, below_low = m - (below - 1);
    const mb_lane s = f / below;
    const mb_pair back = mb_product(s, below);
    const mb_lane s_low = (((f - back.high) - back.low) - s * below_low) / below;
    const mb_pair z = mb_product(s, s);
    const mb_lane z_low = z.low + 2 * s * s_low;
    const mb_pair third = mb_product(z.high, mb_all(MB_THIRD));
    const mb_lane rest = z.high * z.high * MB_POLYNOMIAL(z.high, MB_LOG_REST);
    const mb_pair more = mb_sum(third.high, third.low + z.high * MB_THIRD_LOW + z_low * MB_THIRD + rest);
    const mb_pair part = mb_product(2 * s, more.high);
    const mb_lane part_low = part.low + 2 * s * more.low + 2 * s_low * (1 + more.high);
    const mb_pair first = mb_sum(power * MB_LN2, 2 * s), all = mb_sum(first.high, part.high);
    const mb_pair small = mb_sum(2 * s, part.high); /* where there is no power of two */
    const mb_mask none = power == 0;
    const mb_lane high = mb_choose(none, small.high, all.high);
    const mb_lane low = mb_choose(none, small.low, first.low + all.low + power * MB_LN2_LOW) + part_low;
    return mb_sum(high, low);
}

MB_LANE mb_lane_pow(mb_lane x, mb_lane y)
{
    const mb_pair log = mb_long_log(x), exponent = mb_product(y, log.high);
    const mb_mask usual = (x >= 2.2250738585072014e-308) & (x < (double)INFINITY) &
                          (mb_magnitude(y) < 1e290) & (mb_magnitude(exponent.high) < 700);
    const mb_power power = mb_powered(exponent.high);
    const mb_lane more = (exponent.low + y * log.low) * (1 + power.over);
    const mb_pair sum = mb_sum(mb_all(1), power.over);
    const mb_lane near = mb_scaled(sum.high + (sum.low + more), power.whole);
    return mb_any(~usual) ? mb_choose(usual, near, mb_each_pow(x, y)) : near;
}

/* e^x - 1 */
MB_LANE mb_lane_expm1(mb_lane x)
{
    const mb_mask usual = mb_magnitude(x) < 30;
    const mb_power power = mb_powered(x);
    const mb_lane scale = mb_scaled(mb_all(1), power.whole), near = (scale - 1) + scale * power.over;
    const mb_lane value = mb_choose(x == 0, x, near);
    return mb_any(~usual) ? mb_choose(usual, value, mb_each_expm1(x)) : value;
}

MB_LANE mb_lane_sinh(mb_lane x)
{
    const mb_lane size = mb_magnitude(x), e = mb_lane_expm1(size);
    const mb_mask usual = size < 30;
    const mb_lane near = mb_with_sign_of(0.5 * (e + e / (e + 1)), x);
    return mb_any(~usual) ? mb_choose(usual, near, mb_each_sinh(x)) : near;
}

MB_LANE mb_lane_cosh(mb_lane x)
{
    const mb_lane e = mb_lane_exp(mb_magnitude(x)), near = 0.5 * e + 0.5 / e;
    const mb_mask usual = mb_magnitude(x) < 700;
    return mb_any(~usual) ? mb_choose(usual, near, mb_each_cosh(x)) : near;
}

MB_LANE mb_lane_tanh(mb_lane x)
{
    const mb_lane size = mb_smaller(mb_magnitude(x), mb_all(22));
    const mb_lane e = mb_lane_expm1(2 * size);
    const mb_lane near = mb_with_sign_of(e / (e + 2), x);
    return mb_choose(x != x, x, near);
}

#endif
