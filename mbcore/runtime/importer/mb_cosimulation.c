/* Co-Simulation: a call of doStep, from one communication point to the next, step by step. What fails on
 * the way takes everything back to the beginning of the call.
 */
#include <math.h>

#include "mb_calls.h"
#include "mb_integrator.h"

enum { VISITS = 4 /* at least so many in a call, if any */ };

/* Where a step from a time has been accepted, the importer may look in; what it sets may bring about
 * events. */
static mb_status receive(mb_instance *m, mb_course *course, double from)
{
    if (m->moving == MB_ASKED_FOR)
        mb_ask_rates(m, from - m->now.t);
    course->end = mb_be_visited(m, course->end);
    mb_status status = mb_end_visits(m);
    if (!status && !(m->fresh & MB_ACCEPTED))
        status = mb_end_step(m, course);
    return status;
}

/* From the present time to the end of a call, or to where the importer is to handle an event. */
static mb_status advance(mb_instance *m, mb_course *course)
{
    m->rate_wanted = 1; /* the first step begins with the rate here */
    mb_status status = mb_accept(m);
    m->rate_wanted = 0;
    if (!status)
        status = mb_end_step(m, course);
    while (!status && m->now.t < course->end && !course->event_needed) {
        course->steps++;
        const double from = m->now.t;
        status = mb_refuse_creep(m, course);
        if (!status)
            status = mb_take_step(m, course);
        const int events = course->all_events;
        if (!status)
            status = mb_end_step(m, course);
        if (!status)
            mb_accept_sensitivities(m, course->all_events - events + course->event_needed);
        if (!status && m->visitor && !course->event_needed)
            status = receive(m, course, from);
    }
    return status && mb_exhausted(m) ? mb_fail_course(m, course) : status;
}

/* An importer that repeats a failed step unchanged would do so for ever. */
static void note_failure(mb_instance *m, double step)
{
    m->terminated = m->now.t == m->failed_time && step >= m->failed_step;
    m->failed_time = m->now.t;
    m->failed_step = step;
}

mb_status mb_do_step(mb_instance *m, double point, double step, int *event_needed)
{
    const mb_status possible = mb_check_step(m, point, step);
    if (possible)
        return possible;
    mb_begin_work(m);
    mb_compare_rates(m, m->held_since, m->accepted.u, MB_OVER_HELD);
    mb_save(m, m->saved);
    mb_follow_inputs(m);
    m->begun = 1;
    mb_copy_point(m->model, &m->saved_now, &m->now);

    mb_course course = {.begin = m->now.t, .end = point + step, .mark_time = m->now.t};
    course.longest = m->visitor ? (course.end - course.begin) / VISITS : INFINITY;
    mb_status status = mb_begin_courses(m, course.end);
    mb_begin_sensitivities(m);
    if (!status)
        status = advance(m, &course);
    if (m->visits_failed)
        status = mb_end_visits(m);
    *event_needed = !status && course.event_needed;
    if (status) {
        mb_restore(m, m->saved);
        mb_end_courses(m, 0);
        note_failure(m, step);
    } else {
        m->failed_time = INFINITY;
        m->held_since = m->moving ? INFINITY : course.begin; /* then it is compared here */
        if (m->moving)
            mb_compare_rates(m, course.begin, m->saved_now.u, MB_OVER_GIVEN);
        mb_end_courses(m, 1);
        m->terminated = 0;
    }
    return status;
}
