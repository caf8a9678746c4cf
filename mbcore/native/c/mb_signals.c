/* Inputs of instances at a time, the same for all lanes and for an instance by itself. */
#include "mb_signals.h"

#include <math.h>

enum { MB_AT_ONCE = 8 /* places for which the host is called once */ };

/* The last place among rising numbers whose number is not greater, the first one where all are. */
static long last_up_to(const double *number, long from, long behind, double t)
{
    while (behind - from > 1) {
        const long middle = from + (behind - from) / 2;
        if (number[middle] <= t)
            from = middle;
        else
            behind = middle;
    }
    return from;
}

double mb_next_break(const mb_signals *signals, long id, double t)
{
    const long *first = signals->first_break + (signals->each ? id : 0);
    const double *time = signals->break_time;
    if (first[0] == first[1])
        return INFINITY;
    long k = last_up_to(time, first[0], first[1], t);
    k += time[k] <= t;
    return k < first[1] ? time[k] : INFINITY;
}

static double value_of(const mb_signal *g, const mb_signal_place *at)
{
    const long *first = g->first + (g->each ? at->id : 0);
    long k = last_up_to(g->knot, first[0], first[1], at->t);
    if (at->t >= at->until && k > first[0] && g->knot[k] >= at->until)
        k--; /* the piece that ends there */
    const double *power = g->power + k * g->order, x = at->t - g->knot[k];
    double sum = power[0];
    for (int i = 1; i < g->order; i++)
        sum = sum * x + power[i];
    return sum;
}

/* When the host's functions are evaluated: at a break, where a way ends, just before it. */
static double time_for_host(const mb_signals *signals, const mb_signal_place *at)
{
    const double before = nextafter(at->t, 0);
    return at->t >= at->until && mb_next_break(signals, at->id, before) == at->t ? before : at->t;
}

static void call_host(const mb_signals *signals, int count, const mb_signal_place *place, double *value)
{
    long id[MB_AT_ONCE];
    double t[MB_AT_ONCE];
    for (int i = 0; i < count; i++) {
        id[i] = place[i].id;
        t[i] = time_for_host(signals, &place[i]);
    }
    signals->host(count, id, t, value);
}

void mb_follow_signals(const mb_signals *signals, int count, const mb_signal_place *place,
                       double *value, unsigned char *usual)
{
    const int n = signals->count;
    for (int i = 0; signals->hosted && i < count; i += MB_AT_ONCE)
        call_host(signals, count - i < MB_AT_ONCE ? count - i : MB_AT_ONCE, place + i, value + i * n);
    for (int i = 0; i < count; i++) {
        usual[i] = 1;
        for (int j = 0; j < n; j++) {
            const mb_signal *g = &signals->signal[j];
            double *here = &value[i * n + j];
            if (g->order)
                *here = value_of(g, &place[i]);
            usual[i] &= *here >= g->low && *here <= g->high;
        }
    }
}
