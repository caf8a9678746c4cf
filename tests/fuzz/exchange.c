/* Model Exchange as importers make it: steps that mostly succeed, events where indicators say so, and
 * states that are saved between any two calls, carried as bytes to any instance, and gone on from. */
#include <math.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_STEPS = 12, MOST_UPDATES = 10 };
static const double ROUGH = 1e-2; /* error of a step, in parts of a state and its nominal value */

unsigned long long steps_made, steps_refused, states_read;

/* Counts a call from here as one of those that are asked for. */
static int counted(int status)
{
    count_call(status);
    return status;
}

/* Counts a call too, and compares the instance with its bytes before it where it was refused. */
static int compared(slot *s, const char *before, int status)
{
    if (counted(status) >= MB_DISCARD)
        check_refused(s, before, status);
    return status;
}

static slot *draw_like(slot *s)
{
    slot *other = &slots[draw(SLOTS)];
    const int alike = other->instance && other->instance->interface == s->instance->interface &&
                      other->instance->event_mode_used == s->instance->event_mode_used;
    return alike ? other : s;
}

/* The bytes of an honest state go to an instance; whatever mode it is in, they must be taken. */
static void carry(slot *s, slot *to)
{
    void *state = NULL, *copy = NULL;
    size_t size = 0;
    const char *before = lasting_of(s->instance);
    if (counted(chosen->get_state(s->instance, &state)) ||
        counted(chosen->serialized_size(s->instance, state, &size)))
        finding("a state cannot be saved: %s", s->instance->message);
    unsigned char *bytes = array(size, 1);
    if (counted(chosen->serialize(s->instance, state, bytes, size)))
        finding("a state cannot be serialized: %s", s->instance->message);
    if (counted(chosen->free_state(s->instance, &state)))
        finding("a state cannot be freed: %s", s->instance->message);
    const char *there = lasting_of(to->instance);
    if (counted(chosen->deserialize(to->instance, bytes, size, &copy)))
        finding("an honest state of mode %d is refused: %s", s->instance->mode, to->instance->message);
    if (memcmp(there, lasting_of(to->instance), mb_persistent_size(to->instance)) != 0)
        finding("reading a state has changed the instance");
    if (counted(chosen->set_state(to->instance, copy)) ||
        counted(chosen->free_state(to->instance, &copy)))
        finding("a state that was read cannot be set: %s", to->instance->message);
    if (memcmp(before, lasting_of(to->instance), mb_persistent_size(to->instance)) != 0)
        finding("a state that was read has other bytes");
    states_read++;
}

int carry_state(slot *s)
{
    if (s->instance->updating) /* in the middle of a step there is no state */
        return -1;
    carry(s, draw_like(s));
    return 0;
}

/* Whether the calls so far have ended what may be done. */
static int over(const slot *s) { return mb_mode_of(s->instance) != MB_CONTINUOUS_TIME; }

static void handle_event(slot *s, int carries)
{
    int again = 1;
    if (counted(chosen->enter_events(s->instance)))
        return;
    for (int i = 0; again && i < MOST_UPDATES; i++) {
        if (carries)
            carry(s, s);
        const char *before = lasting_of(s->instance);
        if (compared(s, before, chosen->update(s->instance, &again)))
            return;
    }
    if (carries)
        carry(s, s);
    const char *before = lasting_of(s->instance);
    (void)compared(s, before, chosen->enter_continuous(s->instance));
}

static int indicators(slot *s, double *z)
{
    const size_t n = (size_t)mb_generated_model.ne;
    const int status = counted(chosen->get_indicators(s->instance, z, n));
    if (!status)
        check_finite(z, n);
    return status;
}

static int go_back(slot *s, double t, const double *x)
{
    if (!over(s) && (counted(chosen->set_time(s->instance, t)) ||
                     counted(chosen->set_states(s->instance, x, (size_t)mb_generated_model.ns))))
        finding("the way back from a step is refused: %s", s->instance->message);
    return MB_DISCARD;
}

/* The error of a step of Euler's method, in parts of what it may be. */
static double roughness(const slot *s, double h, const double *x, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < mb_generated_model.ns; i++)
        largest = fmax(largest, fabs(h * (b[i] - a[i])) /
                                    (ROUGH * (fabs(x[i]) + s->instance->nominal[i])));
    return largest;
}

/* A step of Heun's method; back where it is refused, or too long. Returns a status. */
static int step(slot *s, double h, int carries)
{
    const mb_model *model = &mb_generated_model;
    const size_t n = (size_t)model->ns;
    void *m = s->instance;
    const double t = s->instance->now.t;
    double *x = holes(n), *y = holes(n), *first = holes(n), *second = holes(n);
    double *before = holes((size_t)model->ne), *after = holes((size_t)model->ne);
    int event = 0, status = counted(chosen->get_states(m, x, n));
    status = status ? status : counted(chosen->get_rates(m, first, n));
    status = status ? status : indicators(s, before);
    if (status)
        return status;
    check_finite(first, n);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + h * first[i];
    status = counted(chosen->set_time(m, t + h));
    status = status ? status : counted(chosen->set_states(m, y, n));
    const char *lasting = lasting_of(s->instance);
    status = status ? status : compared(s, lasting, chosen->get_rates(m, second, n));
    if (!status && !(roughness(s, h, x, first, second) <= 1))
        return go_back(s, t, x);
    for (size_t i = 0; i < n && !status; i++)
        y[i] = x[i] + h / 2 * (first[i] + second[i]);
    if (carries)
        carry(s, s);
    status = status ? status : counted(chosen->set_states(m, y, n));
    lasting = lasting_of(s->instance);
    status = status ? status : compared(s, lasting, chosen->completed(m, &event));
    if (carries)
        carry(s, s);
    status = status ? status : indicators(s, after);
    if (status)
        return go_back(s, t, x);
    for (int i = 0; i < model->ne && !status; i++)
        event |= before[i] * after[i] <= 0;
    if (event && !status)
        handle_event(s, carries);
    return status;
}

/* Steps; where a state has been carried to another instance, that one makes the same. */
int integrate(slot *s)
{
    s->pace = s->pace > 0 ? fmin(1, 2 * s->pace) : 1;
    for (uint64_t k = draw(MOST_STEPS); k > 0 && !over(s); k--) {
        slot *other = draw_like(s);
        const int both = other != s && chance(3), carries = chance(4);
        const double h = s->pace * fabs(draw_step());
        if (both)
            carry(s, other);
        const int status = step(s, h, carries);
        steps_made++;
        if (status) {
            steps_refused++;
            s->pace /= 8;
        }
        if (!both)
            continue;
        if (step(other, h, carries) != status ||
            memcmp(lasting_of(s->instance), lasting_of(other->instance), mb_persistent_size(s->instance)) != 0)
            finding("the step after a state that was read has another result");
    }
    return -1;
}
