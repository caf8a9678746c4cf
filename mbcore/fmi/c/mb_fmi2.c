/* FMI 2.0: what both interfaces have. Every function says when it may be called, and leaves
 * the rest to the runtime. */
#include <stdio.h>

#include "fmi2Functions.h"
#include "mb_calls.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

/* The importer's logger takes the message for a format. */
static void escape(const char *message, char *escaped, size_t size)
{
    size_t n = 0;
    for (; *message && n + 2 < size; message++) {
        if (*message == '%')
            escaped[n++] = '%';
        escaped[n++] = *message;
    }
    escaped[n] = '\0';
}

static void log_message(mb_instance *m, mb_status status, const char *category,
                        const char *message)
{
    char escaped[2 * MB_MESSAGE];
    escape(message, escaped, sizeof escaped);
    ((fmi2CallbackLogger)m->callback)(m->environment, m->instance_name, (fmi2Status)status,
                                      category, escaped);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
    (void)fmuResourceLocation, (void)visible;
    const fmi2CallbackLogger logger = functions ? functions->logger : NULL;
    fmi2ComponentEnvironment environment = functions ? functions->componentEnvironment : NULL;
    char message[MB_MESSAGE], escaped[2 * MB_MESSAGE];
    mb_instance *m = NULL;
    if (fmuType == fmi2CoSimulation || fmuType == fmi2ModelExchange)
        m = mb_create(__func__, instanceName, fmuGUID,
                      fmuType == fmi2CoSimulation ? MB_CO_SIMULATION : MB_MODEL_EXCHANGE, message);
    else
        snprintf(message, sizeof message,
                 "%s: the type %d is neither fmi2ModelExchange (0) nor fmi2CoSimulation (1)",
                 __func__, (int)fmuType);
    if (!m) {
        escape(message, escaped, sizeof escaped);
        if (logger)
            logger(environment, instanceName ? instanceName : "", fmi2Error, "logStatusError",
                   escaped);
        return NULL;
    }
    m->environment = environment;
    m->callback = (void (*)(void))logger;
    m->log = logger ? log_message : NULL;
    mb_start_logging(m, loggingOn, MB_LOG_WARNING | MB_LOG_ERROR | MB_LOG_FATAL);
    return m;
}

void fmi2FreeInstance(fmi2Component c) { mb_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    if (!mb_enter(c, __func__, MB_ANY_MODE) ||
        !mb_given_all(c, nCategories, categories, "categories"))
        return fmi2Error;
    return leave(c, mb_set_logging(c, loggingOn, nCategories, categories));
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    if (!mb_enter(c, __func__, MB_INSTANTIATED))
        return fmi2Error;
    return leave(c, mb_set_up(c, startTime, toleranceDefined, tolerance, stopTimeDefined, stopTime));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_INSTANTIATED))
        return fmi2Error;
    return leave(c, mb_enter_initialization(c));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_INITIALIZATION))
        return fmi2Error;
    return leave(c, mb_exit_initialization(c));
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_RUNNING))
        return fmi2Error;
    ((mb_instance *)c)->mode = MB_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    mb_reset(c);
    return fmi2OK;
}
