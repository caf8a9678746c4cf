/* State events: each has a mode that follows its indicator with hysteresis; impacts change states.
 *
 * The indicator that importers see has its zero at the threshold that counts in the present mode,
 * so it changes sign where the mode must change and is off zero by twice the band afterwards. It is
 * positive in the mode that is not active: a gap is positive where it is open.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluate.h"
#include "mb_tolerances.h"

/* Importers find the zero of an indicator up to rounding; this fraction of its largest value so far
 * counts as zero. */
static const double AT_THRESHOLD = 1e-12;
static const double BY_ROUNDING = 10; /* bands */
static const double ANY_SPEED = 1e30;

/* How far beyond its threshold an event may be at present without occurring: after an impact until the
 * contact has opened, and by rounding errors until a flight is over whose end is known. */
static double slack_of(const mb_instance *m, int event)
{
    const mb_event_memory *memory = &m->event_memory[event];
    return !memory->armed ? memory->slack : memory->foretold ? BY_ROUNDING * MB_MODEL->band[event] : 0;
}

/* Whether a restored event memory has possible values. */
int mb_valid_event_memory(const mb_instance *m, int event)
{
    const mb_event_memory *memory = &m->event_memory[event];
    return isfinite(memory->reach) && memory->reach >= 0 && memory->first_step[0] >= 0 &&
           memory->first_step[1] >= 0 && mb_valid_flight(m, event);
}

/* The indicator for importers, for whom a change of sign is an event. */
double mb_importer_indicator(const mb_instance *m, int event)
{
    const double band = MB_MODEL->band[event], error = m->event_memory[event].error;
    const double indicator = (mb_active(m, event) ? -band : band) - m->indicator[event];
    return indicator - error + slack_of(m, event);
}

double mb_largest_contradiction(const mb_instance *m)
{
    double largest = -INFINITY;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const double by = mb_contradiction(m, i);
        largest = by > largest ? by : largest;
    }
    return largest;
}

/* Whether points of tables are all that has happened: nothing but where a step ends follows from these. */
int mb_knots_alone(const mb_instance *m)
{
    int any = 0;
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (mb_contradiction(m, i) > 0) {
            if (MB_MODEL->kind[i] != MB_KNOT)
                return 0;
            any = 1;
        }
    return any;
}

/* Changes the states at an event: an impact, or a slip that becomes held. */
static mb_status jump(mb_instance *m, const double *s)
{
    const mb_model *model = MB_MODEL;
    for (int i = 0; i < model->ns; i++)
        if (!isfinite(s[i]))
            return mb_fail(m,
                           "an impact sets %s to a value that is not finite at t = %.9g s; check "
                           "states, inputs and parameters",
                           mb_name_of(model, MB_STATE, i), m->now.t);
    if (memcmp(m->now.s, s, (size_t)model->ns * sizeof(double)) != 0)
        m->states_changed = 1, m->path_watched = 0;
    memcpy(m->now.s, s, (size_t)model->ns * sizeof(double));
    m->fresh = 0;
    return mb_find_configuration(m);
}

/* How far closed gaps and held slips are from zero, in parts of what is tolerated: they are
 * constraints on accelerations, so integration lets them drift. */
mb_status mb_drift(mb_instance *m, double *drift)
{
    *drift = 0;
    if (!mb_closed_contacts(m))
        return MB_OK;
    const mb_status status = mb_configure(m);
    if (!status)
        mb_run(m, &MB_MODEL->project, &m->now, m->new_state, drift);
    return status;
}

/* Removes the drift: closed gaps and held slips become zero. */
mb_status mb_project(mb_instance *m)
{
    for (int round = 0; round < MB_EVENT_ROUNDS; round++) {
        double drift;
        mb_status status = mb_drift(m, &drift);
        if (status || drift <= 1)
            return status;
        if ((status = jump(m, m->new_state)))
            return status;
    }
    return mb_fail(m,
                   "closed contacts cannot be kept closed, or held slips at zero, at t = %.9g s; take "
                   "smaller steps or a smaller tolerance",
                   m->now.t);
}

/* The impact that the fired events bring, of which there is one at a time, or -1: slips that become held
 * come first, and importers alone need to know. */
static int impact_that_occurs(const mb_instance *m)
{
    int first = -1;
    for (int i = MB_MODEL->ne; m->interface == MB_MODEL_EXCHANGE && i-- > 0;) {
        if (MB_MODEL->kind[i] == MB_HELD_SLIP && m->fired[i] > 0)
            return -1;
        if (MB_MODEL->kind[i] == MB_IMPACT && m->fired[i] != 0)
            first = i;
    }
    return first;
}

/* Calculates what the fired events change. A negative duration of the flight tells the impact the largest
 * speed with which parts may meet, and the height the error of the gap. */
static void update_by_events(mb_instance *m, int impact)
{
    const mb_arrival by = impact >= 0 ? mb_end_flight(m, impact) : (mb_arrival){INFINITY, 0};
    const int told = isfinite(by.most) || by.error != 0;
    const int flight = told ? MB_MODEL->expected[impact] : -1, height = told ? MB_MODEL->height[impact] : -1;
    if (flight < 0 || height < 0) {
        mb_run(m, &MB_MODEL->update, &m->now, m->new_discrete, m->new_state);
        return;
    }
    double *d = m->now.d;
    const double before[] = {d[flight], d[height]};
    d[flight] = -fmin(by.most, ANY_SPEED);
    d[height] = by.error;
    mb_run(m, &MB_MODEL->update, &m->now, m->new_discrete, m->new_state);
    d[flight] = before[0];
    d[height] = before[1];
    if (m->new_discrete[flight] < 0) { /* there was no impact */
        m->new_discrete[flight] = before[0];
        m->new_discrete[height] = before[1];
    }
}

/* Whether an event that has fired has not become active, because an impact comes first. */
static int awaits_impacts(const mb_instance *m, int event)
{
    return m->fired[event] > 0 && MB_MODEL->kind[event] == MB_SWITCH && !mb_active(m, event);
}

/* Changes the modes of the fired events, makes their assignments and evaluates again. */
static mb_status fire(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    double *d = m->new_discrete, *s = m->new_state;
    const int impact = impact_that_occurs(m);
    if (m->before_update)
        m->before_update(m);
    mb_status status = mb_note_solver_gain(m);
    if (status)
        return status;
    if (impact >= 0)
        memcpy(m->contradictions, m->indicator, (size_t)model->ne * sizeof(double));
    update_by_events(m, impact);
    for (int i = 0; i < model->nd; i++)
        if (!isfinite(d[i]))
            return mb_fail(m,
                           "an event sets %s to a value that is not finite at t = %.9g s; check "
                           "states, inputs and parameters",
                           mb_name_of(model, MB_DISCRETE, i), m->now.t);
    const int met = memcmp(m->now.d, d, (size_t)model->nd * sizeof(double)) != 0;
    mb_note_flights(m, d);
    if (m->interface == MB_CO_SIMULATION)
        mb_note_ends(m, d);
    memcpy(m->now.d, d, (size_t)model->nd * sizeof(double));
    m->fresh = 0;
    for (int i = 0; i < model->ne; i++)
        if (m->fired[i] != 0 && !awaits_impacts(m, i)) {
            if (model->kind[i] != MB_IMPACT) { /* one that waits for the next round stays armed */
                m->event_memory[i].armed = 0;
                m->event_memory[i].occurred = 1;
            }
            if (model->kind[i] == MB_CLOSED_CONTACT || model->kind[i] == MB_HELD_SLIP) {
                mb_disturb_flights(m);
                m->path_watched = 0;
            }
            if (model->kind[i] != MB_KNOT)
                mb_note_event(m, i);
        }
    if (impact >= 0)
        mb_begin_flight(m, impact, met);
    status = model->contacts > 0 ? jump(m, s) : mb_find_configuration(m);
    if (!status)
        status = mb_indicate(m);
    if (!status && impact >= 0)
        mb_lead_back(m, impact, m->contradictions);
    return status;
}

typedef int (*mb_demand)(const mb_instance *m, int event);

/* Event iteration: fires events until none is due; the first round has a criterion of its own. Where all
 * that are due together find no end, the first of them alone happens in each round: by this rule of
 * Murty's, contacts that stick or slide cannot come back to the same modes. */
static mb_status iterate(mb_instance *m, mb_demand first, mb_demand then)
{
    mb_status status = mb_indicate(m);
    mb_demand demanded = first;
    const int together = MB_EVENT_ROUNDS + MB_MODEL->ne;
    const int most = together + MB_ROUNDS_ONE_BY_ONE * MB_MODEL->ne;
    for (int round = 0; !status && round < most; round++, demanded = then) {
        int any = 0;
        for (int i = 0; i < MB_MODEL->ne; i++) {
            const int waits = any && round >= together;
            m->fired[i] = !waits && demanded(m, i) ? (mb_active(m, i) ? -1 : 1) : 0;
            if (m->fired[i] != 0) {
                any = 1;
                m->last_event = i;
                mb_forget_power(m);
            }
        }
        if (!any)
            return MB_OK;
        status = fire(m);
    }
    if (status)
        return status;
    return mb_fail(m,
                   "event %s and those that it causes keep changing their modes at t = %.9g s "
                   "after %d rounds; check parameters, or give its indicator a wider band",
                   MB_MODEL->event[m->last_event], m->now.t, most);
}

static int contradicted(const mb_instance *m, int event) { return mb_contradiction(m, event) > 0; }

static int contradicted_at_start(const mb_instance *m, int event)
{
    return contradicted(m, event) && MB_MODEL->kind[event] != MB_IMPACT;
}

static int above_zero(const mb_instance *m, int event)
{
    return !mb_active(m, event) && m->indicator[event] > 0 && MB_MODEL->kind[event] != MB_IMPACT;
}

static double threshold_width(const mb_instance *m, int event)
{
    const double width = AT_THRESHOLD * m->event_memory[event].reach;
    const double half_band = MB_MODEL->band[event] / 2, slack = slack_of(m, event);
    if (slack > 0)
        return slack / 2;
    return half_band > 0 && width > half_band ? half_band : width;
}

/* The importer's root may lie a rounding error before the threshold; an event that has just
 * occurred is still near it and must not occur back. */
static int at_threshold(const mb_instance *m, int event)
{
    const double width = threshold_width(m, event), by = mb_beyond(m, event);
    const int armed = m->event_memory[event].armed && !(slack_of(m, event) > 0);
    return by > width || (armed && by >= -width) || mb_flight_is_over(m, event);
}

/* What other events have brought about: an importer does not find it, however near the threshold. */
static int brought_about(const mb_instance *m, int event)
{
    const double by = mb_beyond(m, event);
    const int armed = m->event_memory[event].armed && !(slack_of(m, event) > 0);
    return by > threshold_width(m, event) || (armed && by > 0);
}

static int beyond_threshold(const mb_instance *m, int event)
{
    return mb_beyond(m, event) > threshold_width(m, event);
}

/* The initial modes: active where the indicator is positive, with the assignments made. */
mb_status mb_start_events(mb_instance *m)
{
    const mb_status status = iterate(m, above_zero, contradicted_at_start);
    if (!status) /* else indicators may not be finite */
        mb_arm_events(m);
    return status;
}

mb_status mb_iterate_events(mb_instance *m)
{
    if (m->interface == MB_CO_SIMULATION) {
        if (m->fresh & MB_SETTLED)
            return MB_OK;
        const mb_status status = mb_indicate(m);
        if (status || mb_largest_contradiction(m) > 0)
            return status ? status : iterate(m, contradicted, contradicted);
        m->fresh |= MB_SETTLED;
        return MB_OK;
    }
    const mb_demand first = m->event_mode_entered ? at_threshold : beyond_threshold;
    const mb_status status = iterate(m, first, brought_about);
    if (!status)
        mb_give_up_flights(m);
    return status;
}

/* Model Exchange: notes which indicators have left their thresholds. */
void mb_arm_events(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const double by = mb_beyond(m, i);
        if (fabs(by) > m->event_memory[i].reach)
            m->event_memory[i].reach = fabs(by);
        if (by < -threshold_width(m, i))
            m->event_memory[i].armed = 1;
    }
}

/* Whether an event has been passed without Event Mode. */
int mb_event_overdue(const mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (beyond_threshold(m, i))
            return 1;
    return mb_next_end_of_flight(m) < m->now.t;
}
