/* FMI 3.0: what both interfaces have. Every function says when it may be called, and leaves
 * the rest to the runtime. */
#include <math.h>

#include "fmi3Functions.h"
#include "mb_calls.h"

static fmi3Status leave(mb_instance *m, mb_status status)
{
    return (fmi3Status)mb_leave(m, status);
}

static void log_message(mb_instance *m, mb_status status, const char *category,
                        const char *message)
{
    ((fmi3LogMessageCallback)m->callback)(m->environment, (fmi3Status)status, category, message);
}

const char *fmi3GetVersion(void) { return fmi3Version; }

static mb_instance *instantiate(const char *function, mb_interface interface, fmi3String name,
                                fmi3String token, fmi3Boolean logging,
                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    char message[MB_MESSAGE];
    mb_instance *m = mb_create(function, name, token, interface, message);
    if (!m) {
        if (log)
            log(environment, fmi3Error, "logStatusError", message);
        return NULL;
    }
    m->environment = environment;
    m->callback = (void (*)(void))log;
    m->log = log ? log_message : NULL;
    mb_start_logging(m, logging, MB_LOG_ERROR | MB_LOG_FATAL);
    m->values_before = m->states_in_events = 1;
    return m;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
    (void)resourcePath, (void)visible;
    return instantiate(__func__, MB_MODEL_EXCHANGE, instanceName, instantiationToken, loggingOn,
                       instanceEnvironment, logMessage);
}

/* Calls the importer between communication points. */
static void visit(mb_instance *m)
{
    mb_visit *now = &m->visit;
    fmi3Boolean returns = fmi3False;
    fmi3Float64 at = now->return_time;
    ((fmi3IntermediateUpdateCallback)m->intermediate_update)(m->environment, now->t, now->gives,
                                                             now->takes, now->finished,
                                                             now->may_return, &returns, &at);
    now->returns = returns;
    now->return_time = at;
}

static mb_status expect_visits(mb_instance *m, const char *function,
                               const fmi3ValueReference references[], size_t n,
                               fmi3IntermediateUpdateCallback callback)
{
    m->function = function;
    m->intermediate_update = (void (*)(void))callback;
    if (callback && n > 0 && !references)
        return mb_refuse(m, MB_ERROR, "there are %lu required intermediate variables at no address",
                         (unsigned long)n);
    return mb_expect_visits(m, callback ? visit : NULL, references, n);
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    (void)resourcePath, (void)visible;
    mb_instance *m = instantiate(__func__, MB_CO_SIMULATION, instanceName, instantiationToken,
                                 loggingOn, instanceEnvironment, logMessage);
    if (m) {
        m->event_mode_used = eventModeUsed;
        m->early_return_allowed = earlyReturnAllowed;
    }
    if (m && mb_leave(m, expect_visits(m, __func__, requiredIntermediateVariables,
                                       nRequiredIntermediateVariables, intermediateUpdate))) {
        mb_free(m);
        return NULL;
    }
    return m;
}

/* Not within its own doStep, from where it is still used; the error ends that. */
void fmi3FreeInstance(fmi3Instance instance)
{
    mb_instance *m = instance;
    if (m && m->visiting)
        (void)mb_enter(m, __func__, MB_ANY_MODE);
    else
        mb_free(m);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[])
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE) ||
        !mb_given_all(instance, nCategories, categories, "categories"))
        return fmi3Error;
    return leave(instance, mb_set_logging(instance, loggingOn, nCategories, categories));
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    if (!mb_enter(instance, __func__, MB_INSTANTIATED))
        return fmi3Error;
    mb_status status =
        mb_set_up(instance, startTime, toleranceDefined, tolerance, stopTimeDefined, stopTime);
    if (!status)
        status = mb_enter_initialization(instance);
    return leave(instance, status);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_INITIALIZATION))
        return fmi3Error;
    return leave(instance, mb_exit_initialization(instance));
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_RUNNING))
        return fmi3Error;
    ((mb_instance *)instance)->mode = MB_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    mb_reset(instance);
    return fmi3OK;
}

/* Events */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    mb_instance *m = instance;
    unsigned modes = MB_CONTINUOUS_TIME;
    if (m && m->event_mode_used)
        modes |= MB_STEP;
    if (!mb_enter(m, __func__, modes))
        return fmi3Error;
    return leave(m, mb_enter_event_mode(m));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    if (!mb_enter(instance, __func__, MB_EVENT) ||
        !mb_given(instance, discreteStatesNeedUpdate, "discreteStatesNeedUpdate") ||
        !mb_given(instance, terminateSimulation, "terminateSimulation") ||
        !mb_given(instance, nominalsOfContinuousStatesChanged,
                  "nominalsOfContinuousStatesChanged") ||
        !mb_given(instance, valuesOfContinuousStatesChanged, "valuesOfContinuousStatesChanged") ||
        !mb_given(instance, nextEventTimeDefined, "nextEventTimeDefined") ||
        !mb_given(instance, nextEventTime, "nextEventTime"))
        return fmi3Error;
    *discreteStatesNeedUpdate = *terminateSimulation = fmi3False;
    *nominalsOfContinuousStatesChanged = *valuesOfContinuousStatesChanged = fmi3False;
    *nextEventTimeDefined = fmi3False;
    *nextEventTime = 0;
    int changed = 0;
    const mb_status status = mb_update_discrete_states(instance, &changed);
    *valuesOfContinuousStatesChanged = changed;
    const double next = mb_next_event_time(instance);
    if (!status && isfinite(next)) {
        *nextEventTimeDefined = fmi3True;
        *nextEventTime = next;
    }
    return leave(instance, status);
}
