/* FMI 3.0: getters and setters. All variables are scalars. */
#include <math.h>

#include "fmi3Functions.h"
#include "mb_variables.h"

#define NOTHING 0u /* no variable has this type, so each is refused by its name */

static int enter(mb_instance *m, const char *function, unsigned modes,
                 const fmi3ValueReference references[], size_t n, const void *values,
                 size_t n_values)
{
    if (!mb_enter(m, function, modes | MB_VISITED) ||
        !mb_given_all(m, n, references, "valueReferences") || !mb_given_all(m, n, values, "values"))
        return 0;
    if (n == n_values)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR, "%lu values for %lu scalar variables",
                          (unsigned long)n_values, (unsigned long)n));
    return 0;
}

static fmi3Float64 to_float(double number) { return number; }
static fmi3Int32 to_int32(double number) { return (fmi3Int32)lround(number); }
static fmi3Int64 to_int64(double number) { return (fmi3Int64)llround(number); }
static fmi3Boolean to_boolean(double number) { return number > 0.5; }

#define GET(Type, types, from_number)                                                              \
    fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],    \
                             size_t nValueReferences, fmi3##Type values[], size_t nValues)         \
    {                                                                                              \
        mb_status status = MB_OK;                                                                  \
        if (!enter(instance, __func__, MB_ANY_MODE, valueReferences, nValueReferences, values,     \
                   nValues))                                                                       \
            return fmi3Error;                                                                      \
        MB_READ_ALL(status, instance, types, valueReferences, nValueReferences, values,            \
                    from_number);                                                                  \
        return (fmi3Status)mb_leave(instance, status);                                             \
    }

#define SET(Type, types)                                                                           \
    fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],    \
                             size_t nValueReferences, const fmi3##Type values[], size_t nValues)   \
    {                                                                                              \
        mb_status status = MB_OK;                                                                  \
        if (!enter(instance, __func__, MB_SETTABLE, valueReferences, nValueReferences, values,     \
                   nValues))                                                                       \
            return fmi3Error;                                                                      \
        MB_WRITE_ALL(status, instance, types, valueReferences, nValueReferences, values);          \
        return (fmi3Status)mb_leave(instance, status);                                             \
    }

GET(Float64, MB_OF_TYPE(MB_REAL), to_float)
GET(Int32, MB_OF_TYPE(MB_INTEGER), to_int32)
GET(Int64, MB_OF_TYPE(MB_ENUMERATION), to_int64)
GET(Boolean, MB_OF_TYPE(MB_BOOLEAN), to_boolean)
SET(Float64, MB_OF_TYPE(MB_REAL))
SET(Int32, MB_OF_TYPE(MB_INTEGER))
SET(Int64, MB_OF_TYPE(MB_ENUMERATION))
SET(Boolean, MB_OF_TYPE(MB_BOOLEAN))

#define NEITHER(Type)                                                                              \
    GET(Type, NOTHING, (fmi3##Type))                                                               \
    SET(Type, NOTHING)

NEITHER(Float32)
NEITHER(Int8)
NEITHER(UInt8)
NEITHER(Int16)
NEITHER(UInt16)
NEITHER(UInt32)
NEITHER(UInt64)

static fmi3Status refuse_all(mb_instance *m, const char *function, unsigned modes,
                             const fmi3ValueReference references[], size_t n)
{
    mb_status status = MB_OK;
    if (!mb_enter(m, function, modes) || !mb_given_all(m, n, references, "valueReferences"))
        return fmi3Error;
    for (size_t i = 0; !status && i < n; i++)
        status = mb_read(m, references[i], NOTHING, NULL);
    return (fmi3Status)mb_leave(m, status);
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, fmi3String values[], size_t nValues)
{
    (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_ANY_MODE, valueReferences, nValueReferences);
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const fmi3String values[], size_t nValues)
{
    (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_SETTABLE, valueReferences, nValueReferences);
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[],
                         size_t nValues)
{
    (void)valueSizes, (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_ANY_MODE, valueReferences, nValueReferences);
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues)
{
    (void)valueSizes, (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_SETTABLE, valueReferences, nValueReferences);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Clock values[])
{
    (void)values;
    return refuse_all(instance, __func__, MB_EVENT, valueReferences, nValueReferences);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Clock values[])
{
    (void)values;
    return refuse_all(instance, __func__, MB_EVENT, valueReferences, nValueReferences);
}
