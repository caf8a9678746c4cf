/* Where the first event lies in a step: between samples that have another sign, or
 * where parabolas through samples of one sign say that an indicator may dip below zero. Places are
 * evaluated by a callback, which interpolates.
 */
#include <float.h>
#include <math.h>

#include "mb_search.h"

enum { MOST_TRIALS = 200, MOST_DIPS = 12 };
static const double JUST_BEGUN = 1e-3; /* ratio of indicators at the ends: the first may be noise */

static double part_at(const mb_search *s, int k)
{
    return k == s->parts ? s->end : s->begin + k * (s->end - s->begin) / s->parts;
}

/* Fills samples; returns whether all are known. */
int mb_fill_samples(mb_search *s, int first, int last)
{
    int known = 1;
    for (int k = first; k <= last; k++) {
        double *here = s->sample + k * s->events;
        if (s->between(s->owner, part_at(s, k), here))
            continue;
        known = 0;
        for (int i = 0; i < s->events; i++)
            here[i] = NAN;
    }
    return known;
}

/* One indicator at a time; NaN where it is not known. A place gives all of them at once. */
static double indicator_there(mb_search *s, int event, double t)
{
    if (t != s->at)
        s->at = s->between(s->owner, t, s->indicator) ? t : NAN;
    return t == s->at ? s->indicator[event] : NAN;
}

/* The end of an interval in which an indicator becomes negative, narrowed to neighbouring numbers after
 * T. R. Chandrupatla, Advances in Engineering Software 28 (1997) 145; NaN where a value is missing. Where
 * an event has just been, the indicator at the begin is zero or noise, and no root. */
static double narrow(mb_search *s, int event, double low, double high, double above, double below)
{
    double a = high, b = low, c = low, at_a = below, at_b = above, at_c = above;
    double part = above > JUST_BEGUN * -below ? below / (below - above) : 0.5;
    for (int k = 0; k < MOST_TRIALS; k++) {
        double next = a + part * (b - a);
        if (next == a || next == b)
            next = a + (b - a) / 2;
        if (next == a || next == b)
            break;
        const double value = indicator_there(s, event, next);
        if (isnan(value))
            return NAN;
        c = a;
        at_c = at_a;
        if ((value < 0) != (at_a < 0)) {
            c = b;
            at_c = at_b;
            b = a;
            at_b = at_a;
        }
        a = next;
        at_a = value;
        const double least = fmin(0.5, 2 * DBL_EPSILON * fabs(a) / fabs(b - a));
        const double place = (a - b) / (c - b), share = (at_a - at_b) / (at_c - at_b);
        const int noisy = b == low && !(at_b > JUST_BEGUN * -at_a);
        part = 0.5;
        if (share * share < place && (1 - share) * (1 - share) < 1 - place && !noisy)
            part = at_a / (at_b - at_a) * at_c / (at_b - at_c) +
                   (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b);
        part = fmin(1 - least, fmax(least, part));
    }
    return at_a < 0 ? a : b;
}

/* Three places with an indicator's values. */
typedef struct {
    double t[3], value[3];
} mb_three;

/* Where the parabola through them is lowest, if it may be negative there; NaN if not. What it adds to
 * the value in the middle is doubled, for it is not the indicator. */
static double lowest_of(const mb_three *of)
{
    const double left = of->t[1] - of->t[0], right = of->t[2] - of->t[1];
    const double down = (of->value[1] - of->value[0]) / left;
    const double up = (of->value[2] - of->value[1]) / right;
    const double bend = (up - down) / (left + right);
    const double slope = (down * right + up * left) / (left + right);
    if (!(bend > 0) || of->value[1] - 2 * slope * slope / (4 * bend) > 0)
        return NAN;
    return of->t[1] - slope / (2 * bend);
}

/* Whether an indicator may be negative between three places at which it is not. */
int mb_may_dip(const double t[3], const double value[3])
{
    const mb_three of = {{t[0], t[1], t[2]}, {value[0], value[1], value[2]}};
    const double lowest = lowest_of(&of);
    return lowest > t[0] && lowest < t[2];
}

/* Seeks a negative value in an interval, between whose ends the middle value is the smallest; it is in the
 * middle afterwards, if there is one. Returns whether values are known. */
static int dip(mb_search *s, int event, mb_three *of)
{
    for (int k = 0; k < MOST_DIPS && of->value[1] >= 0; k++) {
        const double next = lowest_of(of);
        if (!(next > of->t[0] && next < of->t[2]) || next == of->t[1])
            return 1;
        const double value = indicator_there(s, event, next);
        const int before = next < of->t[1], lower = value < of->value[1];
        if (isnan(value))
            return 0;
        if (lower) {
            of->t[before ? 2 : 0] = of->t[1];
            of->value[before ? 2 : 0] = of->value[1];
        }
        of->t[lower ? 1 : before ? 0 : 2] = next;
        of->value[lower ? 1 : before ? 0 : 2] = value;
    }
    return 1;
}

/* Three samples about one, none of which is negative; returns whether an event may hide between the
 * first two, or the last two, or all of them: `dip` is to be asked of `of`. */
static int may_hide(mb_search *s, int event, int k, mb_three *of)
{
    const double *here = s->sample + k * s->events + event;
    const double left = here[-s->events], right = here[s->events];
    *of = (mb_three){{part_at(s, k - 1), part_at(s, k), part_at(s, k + 1)}, {left, *here, right}};
    if (!(right >= 0))
        return 0;
    if (*here <= left && *here < right)
        return 1;
    const double lowest = lowest_of(of), from = of->t[0], middle = of->t[1], to = of->t[2];
    const int first = k == 1 && lowest > from && lowest < middle;
    const int last = k == s->parts - 1 && lowest > middle && lowest < to;
    if (!first && !last)
        return 0;
    const double value = indicator_there(s, event, lowest);
    if (first)
        *of = (mb_three){{from, lowest, middle}, {left, value, *here}};
    else
        *of = (mb_three){{middle, lowest, to}, {*here, value, right}};
    return value < of->value[0] && value < of->value[2];
}

/* The same for the part before a sample, which is negative. Where the part ends behind `before`, the
 * indicator at that time tells whether there is anything to be narrowed. */
static double zero_in_part(mb_search *s, int event, int k, double before)
{
    const double *here = s->sample + k * s->events + event;
    const double above = fmax(here[-s->events], 0);
    double high = part_at(s, k), below = *here;
    if (before < high) {
        const double then = indicator_there(s, event, before);
        if (then >= 0)
            return INFINITY;
        high = isnan(then) ? high : before;
        below = isnan(then) ? below : then;
    }
    return narrow(s, event, part_at(s, k - 1), high, above, below);
}

/* The time just beyond the first zero of an event's indicator before a time, [Schwab2002] (5.22); INFINITY
 * where there is none, NaN where a value is missing. */
static double first_zero(mb_search *s, int event, double before)
{
    const double *begin = s->sample + event;
    if (begin[0] < 0 && begin[s->events] < 0)
        return s->begin;
    for (int k = 1; k <= s->parts; k++) {
        const double *here = begin + k * s->events;
        if (!(part_at(s, k - 1) < before))
            return INFINITY;
        if (*here < 0) /* a sample that is not known counts for one of the same sign as the next */
            return zero_in_part(s, event, k, before);
        mb_three of;
        if (k == s->parts || !may_hide(s, event, k, &of))
            continue;
        if (!dip(s, event, &of))
            return NAN;
        if (of.value[1] < 0)
            return narrow(s, event, of.t[0], of.t[1], of.value[0], of.value[1]);
    }
    return INFINITY;
}

/* The event whose indicator is the first to vanish on straight lines between the samples. */
static int likely_first(const mb_search *s)
{
    double first = INFINITY;
    int likely = 0;
    for (int k = 1; k <= s->parts && isinf(first); k++)
        for (int i = 0; i < s->events; i++) {
            const double *here = s->sample + k * s->events + i;
            const double above = fmax(here[-s->events], 0), part = above / (above - *here);
            if (*here < 0 && part < first) {
                first = part;
                likely = i;
            }
        }
    return likely;
}

/* The time just beyond the first event in a step whose samples are filled; INFINITY where there is none, NaN
 * where a value is missing. With the likely one to begin with, one place says of most others that they come
 * later. */
double mb_first_event(mb_search *s)
{
    const int likely = s->events > 0 ? likely_first(s) : 0;
    double first = INFINITY;
    s->at = NAN;
    for (int k = 0; k < s->events; k++) {
        const int event = k == 0 ? likely : k <= likely ? k - 1 : k;
        const double t = first_zero(s, event, first);
        if (isnan(t))
            return NAN;
        first = fmin(first, t);
    }
    return first;
}
