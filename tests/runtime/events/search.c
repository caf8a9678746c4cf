/* The search for the first event, with indicators that are formulas in place of a step. */
#include "mb_search.h"
#include "model.h"

enum { PARTS = 8, EVENTS = 40 };

typedef struct {
    double (*indicator)(int event, double t);
    int calls;
    double unknown_from, unknown_to;
} formulas;

static int evaluate(void *owner, double t, double *indicator)
{
    formulas *of = owner;
    of->calls++;
    for (int i = 0; i < EVENTS; i++)
        indicator[i] = of->indicator(i, t);
    return !(t > of->unknown_from && t < of->unknown_to);
}

/* The first event from 0 to 1. */
static double first(formulas *of)
{
    double sample[(PARTS + 1) * EVENTS], room[EVENTS];
    mb_search search = {.begin = 0, .end = 1, .parts = PARTS, .events = EVENTS, .sample = sample,
                        .indicator = room, .between = evaluate, .owner = of};
    of->calls = -(PARTS + 1);
    (void)mb_fill_samples(&search, 0, PARTS);
    return mb_first_event(&search);
}

static double falls(int event, double t) { return event ? 0.71 - t : 0.43 - t * t; }
static double dips(int event, double t) { return event ? 1 : (t - 0.311) * (t - 0.311) - 1e-6; }
static double dips_early(int event, double t) { return event ? 1 : (t - 0.02) * (t - 0.02) - 1e-6; }
static double dips_late(int event, double t) { return event ? 1 : (t - 0.98) * (t - 0.98) - 1e-6; }
static double grazes(int event, double t) { return event ? 1 : (t - 0.311) * (t - 0.311) + 1e-6; }
static double cosh_dips(int event, double t) { return event ? 1 : cosh(9 * (t - 0.4)) - 1 - 1e-6; }
static double is_negative(int event, double t) { return event ? t - 0.2 : 1 - 2 * t; }
static double leaves(int event, double t) { return event ? t - 1e-17 : 0.5 - t; }

/* All in one part, not in the order of their times. */
static double fall_one_by_one(int event, double t)
{
    return 0.26 + 0.1 * ((17 * event + 7) % EVENTS) / EVENTS - t;
}

/* A flight that has begun at an impact: rounding at its begin is no landing. */
static double flies(int event, double t)
{
    const double noise = t < 1e-14 ? -1e-18 * (t > 0) : 0;
    return event ? 1 : t * (0.03 - t) + noise;
}

CHECK(the_first_event_is_the_first_number_beyond_a_zero)
{
    formulas of = {.indicator = falls};
    const double t = first(&of);
    near(t, sqrt(0.43), 2e-16, "the earlier of two");
    expect(0.43 - t * t < 0, "the indicator is not negative there");
    expect(of.calls <= 12, "it takes %d evaluations", of.calls);
    of.indicator = is_negative;
    near(first(&of), 0, 0, "an event that is due at the begin");
}

CHECK(of_many_events_in_a_part_the_first_alone_is_narrowed)
{
    formulas of = {.indicator = fall_one_by_one};
    near(first(&of), 0.26, 6e-17, "the first of forty");
    expect(of.calls <= 20, "it takes %d evaluations", of.calls);
}

CHECK(an_event_that_begins_and_ends_between_samples_is_found)
{
    formulas of = {.indicator = dips};
    near(first(&of), 0.310, 1e-14, "in a part");
    of.indicator = dips_early;
    near(first(&of), 0.019, 1e-14, "in the first part, before its middle");
    of.indicator = dips_late;
    near(first(&of), 0.979, 1e-14, "in the last part, behind its middle");
    of.indicator = cosh_dips; /* no parabola */
    near(first(&of), 0.4 - acosh(1 + 1e-6) / 9, 1e-11, "where it is no parabola");
    of.indicator = grazes;
    expect(first(&of) == INFINITY, "there is an event that is none");
    expect(of.calls <= 3, "it takes %d evaluations", of.calls);
}

CHECK(rounding_at_the_begin_of_a_flight_is_no_landing)
{
    formulas of = {.indicator = leaves};
    near(first(&of), 0.5, 2e-16, "an event behind what is negative at the begin alone");
    of.indicator = flies;
    near(first(&of), 0.03, 1e-16, "the end of a flight that is short in the step");
}

CHECK(places_that_cannot_be_evaluated_say_nothing)
{
    formulas of = {.indicator = falls, .unknown_from = 0.2, .unknown_to = 0.3};
    near(first(&of), sqrt(0.43), 2e-16, "behind such a place");
    of.unknown_from = 0.65, of.unknown_to = 0.66;
    expect(isnan(first(&of)), "the zero is where there are no values");
}
