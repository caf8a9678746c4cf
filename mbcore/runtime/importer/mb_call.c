/* What all calls of an importer have in common: whether a call is allowed now, its arguments, the
 * calculation of what it reads, and the mode of the instance after a failure. */
#include "mb_calls.h"

static const char *mode_name(mb_mode mode)
{
    switch (mode) {
    case MB_INSTANTIATED: return "before Initialization Mode";
    case MB_INITIALIZATION: return "in Initialization Mode";
    case MB_EVENT: return "in Event Mode";
    case MB_CONTINUOUS_TIME: return "in Continuous-Time Mode";
    case MB_STEP: return "in Step Mode";
    case MB_TERMINATED: return "after termination";
    case MB_FAILED: return "after an error (reset the FMU, restore a state of it, or free it)";
    }
    return "in an unknown mode";
}

/* Whether the function may be called now. */
int mb_enter(mb_instance *m, const char *function, unsigned modes)
{
    if (!m)
        return 0;
    m->function = function;
    m->message[0] = '\0';
    m->undoable = m->undoable && m->updating;
    mb_begin_work(m);
    const int exchange = m->interface == MB_MODEL_EXCHANGE;
    if (modes & (exchange ? MB_CO_SIMULATION_ONLY : MB_MODEL_EXCHANGE_ONLY))
        mb_leave(m, mb_refuse(m, MB_ERROR, "is a function of %s, but the instance was made for %s",
                              exchange ? "Co-Simulation" : "Model Exchange",
                              exchange ? "Model Exchange" : "Co-Simulation"));
    else if (m->updating && !(modes & MB_IN_UPDATE))
        mb_leave(m, mb_refuse(m, MB_ERROR, "not allowed in Intermediate Update Mode"));
    else if (modes & (unsigned)mb_mode_of(m))
        return 1;
    else
        mb_leave(m, mb_refuse(m, MB_ERROR,
                              "not allowed %s; the order of calls is that of the FMI standard",
                              mode_name(mb_mode_of(m))));
    return 0;
}

/* Whether an argument of the function that was entered is there. */
int mb_given(mb_instance *m, const void *argument, const char *name)
{
    if (argument)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR, "the argument %s is a null pointer", name));
    return 0;
}

/* The same for an array of n values. */
int mb_given_all(mb_instance *m, size_t n, const void *argument, const char *name)
{
    return n == 0 || mb_given(m, argument, name);
}

/* Keeps what the call that was entered may change, once, so that it is as before where the call is
 * refused. A step restores what calls within its intermediate updates have changed. */
void mb_prepare_undo(mb_instance *m)
{
    if (m->undoable || m->updating)
        return;
    mb_save(m, m->saved);
    m->undoable = 1;
}

/* Calculates one of MB_DERIVED, MB_OBSERVED and MB_INDICATED, in any mode. During initialization,
 * start values may have changed since the last call. */
mb_status mb_provide(mb_instance *m, unsigned wanted)
{
    if (m->initialized && m->fresh & wanted)
        return MB_OK;
    mb_prepare_undo(m);
    const mb_status status = m->initialized ? MB_OK : mb_initialize(m);
    return status ? status : mb_evaluate(m, wanted);
}

/* After an error only getters, state functions, resetting and freeing are left. Getters go on as in the
 * mode before it, so that they read what they read then. */
mb_status mb_leave(mb_instance *m, mb_status status)
{
    if (status != MB_OK) {
        mb_log_failure(m, status);
        if (m->undoable && !m->updating)
            mb_restore(m, m->saved);
    }
    m->failed |= status >= MB_ERROR;
    return status;
}

mb_status mb_not_provided(mb_instance *m, const char *function)
{
    if (!mb_enter(m, function, MB_ANY_MODE))
        return MB_ERROR;
    return mb_leave(m, mb_refuse(m, MB_ERROR,
                                 "this FMU does not provide it; the model description says what "
                                 "it provides"));
}
