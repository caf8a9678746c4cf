/* Flights between impacts. In Co-Simulation a step ends where the first of them is expected to end; the rest is
 * for importers that integrate: Model Exchange.
 *
 * An impact tells how long the flight after it will last and how high it will be if forces stay as they
 * are, [Schwab2002] (5.25). An importer with equal steps finds impacts late by up to a step. So the
 * expected end of a low flight is a time event, which every importer keeps exactly, and the time by which
 * it may find state events late is measured. Flights are blind where it is late: they end at their
 * expected end if the parts are no farther from each other than they move in that time, and with at most
 * twice the speed with which they began. Others end there where the parts meet, else by a state event, so
 * that forces may change in a flight. Errors of the importer's solver are known, see mb_solver_error.c.
 */
#include <math.h>

#include "mb_evaluation.h"

static const double AT_ONCE = 1e5;   /* bands */
static const double BANDS = 5e14;    /* in the size of a contact */
static const double LOW = 1;         /* height, in sizes, up to which ends are time events */
static const double TWICE = 2;       /* an importer may be late by so many times what was measured */
static const double AGAIN = 10;      /* growth of what is let through */
static const double LOCATED = 1e-3;  /* part of a step to which only a search finds events */
static const double WIDEST = 1e-5;   /* what is let through, in sizes */
static const double BEHIND = 1.5;    /* bands: half of one beyond the threshold, so that rounding does not matter */
static const double ON_TIME = 1e-9;  /* part of a flight, */
static const double NEXT_TIME = 1e-15; /* and of the time, that is rounding */

/* The distance that an event may be beyond its threshold just after it, by the first step of a solver. */
static double least_slack(int event) { return AT_ONCE * MB_MODEL->band[event]; }

/* The same for contacts whose flight is unknown, where they meet again before they have opened. */
static double most_slack(int event) { return WIDEST * BANDS * MB_MODEL->band[event]; }

static double number_at(const mb_instance *m, const int *places, int event)
{
    return places[event] < 0 ? 0 : m->now.d[places[event]];
}

static double flight_of(const mb_instance *m, int event)
{
    return number_at(m, MB_MODEL->expected, event);
}

static double height_of(const mb_instance *m, int event)
{
    return number_at(m, MB_MODEL->height, event);
}

/* With which the present flight is expected to end; 0: unknown. */
static double speed_of_flight(const mb_instance *m, int event)
{
    const double flight = flight_of(m, event);
    return flight > 0 ? 4 * height_of(m, event) / flight : 0;
}

static int is_low(const mb_instance *m, int event)
{
    return isfinite(m->event_memory[event].end) &&
           height_of(m, event) <= LOW * BANDS * MB_MODEL->band[event];
}

/* How far from its threshold a flight may end because the importer is late; 0 where it is not. */
static double blindness(const mb_instance *m, int event)
{
    return TWICE * speed_of_flight(m, event) * m->event_memory[event].late;
}

static double rounding_of_time(const mb_instance *m, double flight)
{
    return ON_TIME * flight + NEXT_TIME * fabs(m->now.t);
}

static int has_ended(const mb_instance *m, int event)
{
    const double early = rounding_of_time(m, flight_of(m, event));
    return m->event_memory[event].foretold && m->now.t >= m->event_memory[event].end - early;
}

/* Whether an impact is due because the flight before it has its expected length. */
int mb_flight_is_over(const mb_instance *m, int event)
{
    return has_ended(m, event) &&
           mb_beyond(m, event) >= -fmax(least_slack(event), blindness(m, event));
}

/* Notes by how much a step of the importer's solver has brought parts to each other. */
void mb_note_solver_step(mb_instance *m, double length)
{
    m->solver_step = length;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        mb_event_memory *memory = &m->event_memory[i];
        const double by = mb_beyond(m, i);
        memory->passed = by - memory->before;
        memory->before = by;
    }
}

/* Notes how late a state event was found, by `distance`. Importers that search for events find them to a
 * small part of a step; others may be late by all of it. */
static void note_lateness(mb_instance *m, int event, double distance)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double part = distance / memory->passed;
    if (memory->passed > 0 && distance > 0)
        memory->late = (part > LOCATED ? 1 : part) * m->solver_step;
}

/* An impact is about to change the states: measures by how much the importer is late. Where it has come
 * before the parts have met, no energy is made of the distance between them. */
mb_arrival mb_end_flight(mb_instance *m, int event)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double by = mb_beyond(m, event), apart = -by - MB_MODEL->band[event];
    const int ended = has_ended(m, event), blind = ended && blindness(m, event) > 0;
    if (!ended)
        note_lateness(m, event, by - (memory->armed ? 0 : memory->slack));
    const double most = blind ? TWICE * speed_of_flight(m, event) : INFINITY;
    /* places where energy has been gained in all, by speeds, are given back none of it */
    const double error = memory->error < 0 ? fmin(0, fmax(memory->error, memory->lost)) : memory->error;
    return (mb_arrival){most, error + (ended ? fmax(apart, 0) : 0)};
}

static void disturb_flight(mb_instance *m, int event)
{
    mb_event_memory *memory = &m->event_memory[event];
    memory->foretold = 0;
    memory->end = INFINITY;
    if (memory->armed)
        memory->slack = 0;
}

/* Other forces act now: nothing is known of flights. */
void mb_disturb_flights(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        disturb_flight(m, i);
}

/* Notes whose flights the discrete variables of an event foresee anew: those that feel it. */
void mb_note_flights(mb_instance *m, const double *d)
{
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const int flight = MB_MODEL->expected[i], height = MB_MODEL->height[i];
        m->reforeseen[i] = (flight >= 0 && mb_bits(d[flight]) != mb_bits(m->now.d[flight])) ||
                           (height >= 0 && mb_bits(d[height]) != mb_bits(m->now.d[height]));
    }
}

/* Co-Simulation: notes when a flight ends that an event has begun or foreseen anew, a little behind the place where
 * parts meet. Where the one before has ended when it was expected to, so may this one. */
static void note_end(mb_instance *m, int event, double flight, double height)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double off = m->now.t - memory->end, rounding = rounding_of_time(m, flight_of(m, event));
    const double within = flight > 0 ? BEHIND * MB_MODEL->band[event] * flight / (4 * height) : 0;
    const int impact = m->fired[event] > 0 && MB_MODEL->kind[event] == MB_IMPACT;
    if (!m->reforeseen[event] && !(impact && off >= -rounding))
        return; /* one that waits for the next round goes on */
    if (impact)
        memory->foretold = fabs(off) <= AGAIN * rounding + within;
    memory->foretold &= flight > 0;
    memory->end = flight > 0 ? m->now.t + flight + within : INFINITY;
}

/* The same of all flights; `d` are the discrete variables after the event. */
void mb_note_ends(mb_instance *m, const double *d)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (MB_MODEL->expected[i] >= 0 && MB_MODEL->height[i] >= 0)
            note_end(m, i, d[MB_MODEL->expected[i]], d[MB_MODEL->height[i]]);
}

/* The time until the next impact is expected, 0 where unknown, and whether it may be so to the bit. */
double mb_time_to_impact(const mb_instance *m, double *exactly)
{
    const mb_event_memory *next = NULL;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const mb_event_memory *memory = &m->event_memory[i];
        if ((!next || memory->end < next->end) && isfinite(memory->end) &&
            memory->end - m->now.t > rounding_of_time(m, flight_of(m, i)))
            next = memory;
    }
    *exactly = next && next->foretold;
    return next ? next->end - m->now.t : 0;
}

/* An impact of other parts has foreseen how the present flight of these goes on. */
static void foresee_flight(mb_instance *m, int event)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double flight = flight_of(m, event);
    if (!(flight > 0 && height_of(m, event) > 0))
        return;
    memory->end = m->now.t + flight;
    memory->foretold = is_low(m, event) || blindness(m, event) > 0;
    memory->slack = fmax(memory->slack, least_slack(event));
}

/* After an impact, if the parts have `met`, else after a gap that opened already. */
void mb_begin_flight(mb_instance *m, int event, int met)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double flight = flight_of(m, event), height = height_of(m, event);
    const double over = flight - (memory->end - m->now.t), early = rounding_of_time(m, flight);
    const int known = memory->armed || memory->foretold, flies = met && flight > 0 && height > 0;
    memory->armed = 0;
    memory->before = INFINITY;
    memory->passed = 0; /* what other impacts do at this time tells nothing of lateness */
    if (!met && over >= -early && over < flight) {
        memory->slack = fmin(fmax(least_slack(event), AGAIN * memory->slack), most_slack(event));
        return;
    }
    for (int i = 0; met && i < MB_MODEL->ne; i++)
        if (i != event && m->reforeseen[i]) {
            disturb_flight(m, i);
            foresee_flight(m, i);
        }
    if (met)
        disturb_flight(m, event);
    memory->end = flies ? m->now.t + flight : INFINITY;
    memory->foretold = flies && (is_low(m, event) || blindness(m, event) > 0);
    if (flies || (met && known))
        memory->slack = least_slack(event);
    else
        memory->slack = fmin(fmax(least_slack(event), AGAIN * memory->slack), most_slack(event));
}

/* Flights that go on at their expected end are ended by state events. */
void mb_give_up_flights(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (has_ended(m, i))
            m->event_memory[i].foretold = 0;
}

/* The next time event by flights; INFINITY: none. */
double mb_next_end_of_flight(const mb_instance *m)
{
    double next = INFINITY;
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (m->event_memory[i].foretold)
            next = fmin(next, m->event_memory[i].end);
    return next;
}

static int is_flag(int value) { return value == 0 || value == 1; }

/* Whether what a restored event memory says of flights is possible. */
int mb_valid_flight(const mb_instance *m, int event)
{
    const mb_event_memory *memory = &m->event_memory[event];
    const double late = memory->late;
    const int flies =
        flight_of(m, event) > 0 && height_of(m, event) > 0 && isfinite(memory->end);
    return isfinite(late) && late >= 0 && !isnan(memory->before) && !isnan(memory->passed) &&
           isfinite(memory->error) && isfinite(memory->lost) && memory->slack >= 0 && memory->slack <= most_slack(event) &&
           !isnan(memory->end) && is_flag(memory->armed) && is_flag(memory->foretold) &&
           (flies || !memory->foretold);
}
