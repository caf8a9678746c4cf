/* FMI 2.0: getters and setters. */
#include <math.h>

#include "fmi2Functions.h"
#include "mb_variables.h"

enum {
    REALS = MB_OF_TYPE(MB_REAL),
    INTEGERS = MB_OF_TYPE(MB_INTEGER) | MB_OF_TYPE(MB_ENUMERATION),
    BOOLEANS = MB_OF_TYPE(MB_BOOLEAN),
    NOTHING = 0
};

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

static int enter(mb_instance *m, const char *function, unsigned modes, const fmi2ValueReference vr[],
                 size_t nvr, const void *value)
{
    return mb_enter(m, function, modes) && mb_given_all(m, nvr, vr, "vr") &&
           mb_given_all(m, nvr, value, "value");
}

static fmi2Real to_real(double number) { return number; }
static fmi2Integer to_integer(double number) { return (fmi2Integer)lround(number); }
static fmi2Boolean to_boolean(double number) { return number > 0.5; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_ANY_MODE, vr, nvr, value))
        return fmi2Error;
    MB_READ_ALL(status, c, REALS, vr, nvr, value, to_real);
    return leave(c, status);
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Integer value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_ANY_MODE, vr, nvr, value))
        return fmi2Error;
    MB_READ_ALL(status, c, INTEGERS, vr, nvr, value, to_integer);
    return leave(c, status);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Boolean value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_ANY_MODE, vr, nvr, value))
        return fmi2Error;
    MB_READ_ALL(status, c, BOOLEANS, vr, nvr, value, to_boolean);
    return leave(c, status);
}

/* No variable is a string, so each is refused by its name. */
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         fmi2String value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_ANY_MODE, vr, nvr, value))
        return fmi2Error;
    for (size_t i = 0; !status && i < nvr; i++)
        status = mb_read(c, vr[i], NOTHING, NULL);
    return leave(c, status);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_SETTABLE, vr, nvr, value))
        return fmi2Error;
    MB_WRITE_ALL(status, c, REALS, vr, nvr, value);
    return leave(c, status);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_SETTABLE, vr, nvr, value))
        return fmi2Error;
    MB_WRITE_ALL(status, c, INTEGERS, vr, nvr, value);
    return leave(c, status);
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_SETTABLE, vr, nvr, value))
        return fmi2Error;
    MB_WRITE_ALL(status, c, BOOLEANS, vr, nvr, value);
    return leave(c, status);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         const fmi2String value[])
{
    mb_status status = MB_OK;
    if (!enter(c, __func__, MB_SETTABLE, vr, nvr, value))
        return fmi2Error;
    for (size_t i = 0; !status && i < nvr; i++)
        status = mb_check_write(c, vr[i], NOTHING, 0);
    return leave(c, status);
}
