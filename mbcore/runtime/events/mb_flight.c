/* Flights between impacts, for importers that integrate: Model Exchange.
 *
 * An impact tells how long the flight after it will last and how high it will be if forces stay as they
 * are, [Schwab2002] (5.25). An importer's solver follows a low flight only to its tolerance, and one
 * of equal steps finds impacts late by up to a step. So the expected end of a low flight is a time
 * event, which every importer keeps exactly, and what the importer misses is measured:
 *
 *   late   the time by which state events may be found late;
 *   miss   how far they were from each other at the expected end of a low flight. Forces that change
 *          make that too, but with the cube of the duration, so that it vanishes faster than
 *          the height does; an error of the solver stays.
 *
 * Flights are blind where the importer is late, and low ones after a solver's error has been seen: they
 * end at their expected end if the parts are near each other then, in the second case with at most the
 * speed with which they began. So they win no energy, and the sequence comes to rest. Euler's method
 * with a step h, where no forces change, has exact speeds and is g h T/2 = v h too high then, which is
 * the way that the parts make in the time by which it is late.
 */
#include <math.h>

#include "mb_evaluation.h"

static const double AT_ONCE = 1e5;   /* bands */
static const double BANDS = 5e14;    /* in the size of a contact */
static const double LOW = 1;         /* height, in sizes, up to which ends are time events */
static const double FADES = 0.9;     /* an error that was measured, with each impact */
static const double TWICE = 2;       /* an error may be so many times what has been measured */
static const double AGAIN = 10;      /* growth of what is let through */
static const double LOCATED = 1e-3;  /* part of a step to which only a search finds events */
static const double SLIGHT = 1e-2;   /* part of the height up to which an error is seen at first, */
static const double VISIBLE = 0.1;   /* and where it is not larger than solvers' tolerances, */
static const double MINUTE = 1e-8;   /* in sizes */
static const double CUBIC = 10;      /* growth beyond `cubic` that changes of forces may explain, */
static const double GROWN = 3;       /* and of what is so small */
static const double LOWEST = 1e-5;   /* height, in sizes, of flights in which no forces change: */
static const double IS_LOST = 0.25;  /* what they miss by more than this part of it is error */
static const double DEEPEST = 1e-3;  /* size, in sizes, up to which that is a solver's */
static const double ON_TIME = 1e-9;  /* part of a flight, */
static const double NEXT_TIME = 1e-15; /* and of the time, that is rounding */

/* The distance that an event may be beyond its threshold just after it, by the first step of a solver. */
static double least_slack(int event) { return AT_ONCE * MB_MODEL->band[event]; }

/* The same for contacts whose flight is unknown, where they meet again before they have opened. */
static double most_slack(int event) { return LOWEST * BANDS * MB_MODEL->band[event]; }

static double deepest(int event) { return DEEPEST * BANDS * MB_MODEL->band[event]; }

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
double mb_speed_of_flight(const mb_instance *m, int event)
{
    const double flight = flight_of(m, event);
    return flight > 0 ? 4 * height_of(m, event) / flight : 0;
}

static int is_low(const mb_instance *m, int event)
{
    return isfinite(m->event_memory[event].end) &&
           height_of(m, event) <= LOW * BANDS * MB_MODEL->band[event];
}

static double seen_miss(const mb_instance *m, int event)
{
    return is_low(m, event) ? TWICE * m->event_memory[event].miss : 0;
}

/* How far from its threshold a flight may end by the importer's errors; 0 where it is seen. */
static double blindness(const mb_instance *m, int event)
{
    const double late = m->event_memory[event].late;
    return fmax(TWICE * mb_speed_of_flight(m, event) * late, seen_miss(m, event));
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
           mb_contradiction(m, event) >= -fmax(least_slack(event), blindness(m, event));
}

/* Notes by how much a low flight has missed its expected end. A solver's error is first seen where it
 * is small beside the height. */
static void note_miss(mb_instance *m, int event, double distance)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double height = height_of(m, event);
    const double cubic = distance / pow(flight_of(m, event), 3);
    const int minute = distance <= MINUTE * BANDS * MB_MODEL->band[event];
    const double part = minute ? VISIBLE : SLIGHT, growth = minute ? GROWN : CUBIC;
    const int small = distance <= part * height || distance <= 1 / SLIGHT * memory->miss;
    const int lost = distance > IS_LOST * height && height <= most_slack(event);
    const int error = lost || (small && cubic > growth * memory->cubic);
    if (error && distance <= deepest(event))
        memory->miss = fmax(memory->miss, distance);
    memory->cubic = fmax(memory->least, fmin(memory->cubic, cubic));
    memory->least = fmin(memory->least, cubic);
}

/* Notes by how much a step of the importer's solver has brought parts to each other. */
void mb_note_solver_step(mb_instance *m, double length)
{
    m->solver_step = length;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        mb_event_memory *memory = &m->event_memory[i];
        const double by = mb_contradiction(m, i);
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

/* An impact is about to change the states: measures what the importer has missed. Returns the largest
 * speed with which the parts may meet, 0 where the states tell it: that at the beginning of a flight that
 * was lost in a solver's error, or more if it has ended at its expected end. */
double mb_end_flight(mb_instance *m, int event)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double by = mb_contradiction(m, event), left = memory->end - m->now.t;
    const double speed = memory->foretold ? mb_speed_of_flight(m, event) : 0;
    const double let_through = fmin(fmax(by, 0), memory->slack);
    const int ended = has_ended(m, event), blind = ended && blindness(m, event) > 0;
    memory->miss *= FADES;
    if (memory->foretold)
        note_miss(m, event, ended ? fabs(by) : speed * left + let_through);
    if (!ended)
        note_lateness(m, event, by - (memory->armed ? 0 : memory->slack));
    return memory->bound ? speed : blind ? TWICE * speed : 0;
}

/* A contact that opens has been at its threshold, to which its solver has led it back. */
static void fly_on(mb_instance *m, int event, double part)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double high = 4 * height_of(m, event) * part * (1 - part);
    memory->miss = fmax(fmax(memory->miss, memory->slack / TWICE), fmin(high, deepest(event)));
    memory->slack = TWICE * memory->miss;
}

/* Other parts have another speed now, or other forces: nothing is known of flights. */
void mb_disturb_flights(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++) {
        m->event_memory[i].bound = m->event_memory[i].foretold = 0;
        m->event_memory[i].end = INFINITY;
        if (m->event_memory[i].armed)
            m->event_memory[i].slack = 0;
    }
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
    memory->bound = seen_miss(m, event) > 0;
    memory->slack = fmax(memory->slack, fmax(least_slack(event), seen_miss(m, event)));
}

/* After an impact, if the parts have `met`, else after a gap that opened already; the speed expected
 * `before` tells whether the sequence goes on. */
void mb_begin_flight(mb_instance *m, int event, int met, double before)
{
    mb_event_memory *memory = &m->event_memory[event];
    const double flight = flight_of(m, event), height = height_of(m, event);
    const double over = flight - (memory->end - m->now.t), early = rounding_of_time(m, flight);
    const int known = memory->armed || memory->foretold, flies = met && flight > 0 && height > 0;
    memory->armed = 0;
    memory->before = INFINITY;
    memory->passed = 0; /* what other impacts do at this time tells nothing of lateness */
    if (!met && over >= -early && over < flight) {
        if (over > early)
            fly_on(m, event, over / flight);
        return;
    }
    if (met)
        mb_disturb_flights(m);
    for (int i = 0; met && i < MB_MODEL->ne; i++)
        if (i != event)
            foresee_flight(m, i);
    memory->end = flies ? m->now.t + flight : INFINITY;
    if (!(flies && mb_speed_of_flight(m, event) <= before)) /* another sequence of impacts */
        memory->least = memory->cubic = INFINITY;
    memory->foretold = flies && (is_low(m, event) || blindness(m, event) > 0);
    memory->bound = flies && seen_miss(m, event) > 0;
    if (flies || (met && known))
        memory->slack = fmax(least_slack(event), seen_miss(m, event));
    else
        memory->slack = fmin(fmax(least_slack(event), AGAIN * memory->slack), most_slack(event));
}

/* Flights that go on at their expected end are ended by state events. */
void mb_give_up_flights(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (has_ended(m, i)) {
            note_miss(m, i, fabs(mb_contradiction(m, i)));
            m->event_memory[i].foretold = 0;
        }
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
    const double late = memory->late, miss = memory->miss;
    const int flies =
        flight_of(m, event) > 0 && height_of(m, event) > 0 && isfinite(memory->end);
    return isfinite(late) && late >= 0 && !isnan(memory->before) && !isnan(memory->passed) &&
           isfinite(miss) && miss >= 0 &&
           memory->slack >= 0 && memory->least >= 0 && memory->cubic >= memory->least &&
           memory->slack <= fmax(most_slack(event), TWICE * miss) &&
           !isnan(memory->end) && is_flag(memory->armed) && is_flag(memory->foretold) &&
           is_flag(memory->bound) && (flies || !memory->foretold);
}
