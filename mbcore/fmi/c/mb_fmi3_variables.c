/* The functions of FMI 3.0 that get and set variables, and those of their derivatives. */
#include <math.h>

#include "fmi3Functions.h"
#include "mb_calls.h"

/* The call is refused because there are not as many values as variables have. */
static mb_status refuse_count(mb_instance *m, size_t values, const fmi3ValueReference references[],
                              size_t n)
{
    const size_t wanted = mb_count_values(m, references, n);
    if (wanted == n)
        return mb_refuse(m, MB_ERROR, "%lu values for %lu scalar variables", (unsigned long)values,
                         (unsigned long)n);
    return mb_refuse(m, MB_ERROR, "%lu values for %lu variables with %lu elements",
                     (unsigned long)values, (unsigned long)n, (unsigned long)wanted);
}

/* A setter or getter may be called, and there are as many values as the variables have. */
static int enter_values(mb_instance *m, const char *function, unsigned modes,
                        const fmi3ValueReference references[], size_t n, const void *values,
                        size_t n_values)
{
    if (!mb_enter(m, function, modes | MB_IN_UPDATE) ||
        !mb_given_all(m, n, references, "valueReferences") || !mb_given_all(m, n, values, "values"))
        return 0;
    if (mb_count_values(m, references, n) == n_values)
        return 1;
    mb_leave(m, refuse_count(m, n_values, references, n));
    return 0;
}

static fmi3Status get(mb_instance *m, const char *function, unsigned types,
                      const fmi3ValueReference references[], size_t n, mb_put put, void *values,
                      size_t n_values)
{
    if (!enter_values(m, function, MB_ANY_MODE, references, n, values, n_values))
        return fmi3Error;
    return (fmi3Status)mb_leave(m, mb_get_variables(m, types, references, n, put, values));
}

static fmi3Status set(mb_instance *m, const char *function, unsigned types,
                      const fmi3ValueReference references[], size_t n, mb_take take,
                      const void *values, size_t n_values)
{
    if (!enter_values(m, function, MB_SETTABLE, references, n, values, n_values))
        return fmi3Error;
    return (fmi3Status)mb_leave(m, mb_set_variables(m, types, references, n, take, values));
}

MB_ACCESS(float64, fmi3Float64, number)
MB_ACCESS(int32, fmi3Int32, lround(number))
MB_ACCESS(int64, fmi3Int64, llround(number))
MB_ACCESS(boolean, fmi3Boolean, number > 0.5)

/* The getter and the setter of a type of values, for variables of these types. */
#define VALUES(getter, setter, type, types, put, take)                                             \
    fmi3Status getter(fmi3Instance instance, const fmi3ValueReference references[], size_t n,      \
                      type values[], size_t n_values)                                              \
    {                                                                                              \
        return get(instance, __func__, types, references, n, put, values, n_values);               \
    }                                                                                              \
    fmi3Status setter(fmi3Instance instance, const fmi3ValueReference references[], size_t n,      \
                      const type values[], size_t n_values)                                        \
    {                                                                                              \
        return set(instance, __func__, types, references, n, take, values, n_values);              \
    }

VALUES(fmi3GetFloat64, fmi3SetFloat64, fmi3Float64, MB_OF_TYPE(MB_REAL), put_float64, take_float64)
VALUES(fmi3GetInt32, fmi3SetInt32, fmi3Int32, MB_OF_TYPE(MB_INTEGER), put_int32, take_int32)
VALUES(fmi3GetInt64, fmi3SetInt64, fmi3Int64, MB_OF_TYPE(MB_ENUMERATION), put_int64, take_int64)
VALUES(fmi3GetBoolean, fmi3SetBoolean, fmi3Boolean, MB_OF_TYPE(MB_BOOLEAN), put_boolean, take_boolean)

enum { NOTHING = 0 /* no variable is of these types, so each is refused by its name */ };

VALUES(fmi3GetFloat32, fmi3SetFloat32, fmi3Float32, NOTHING, NULL, NULL)
VALUES(fmi3GetInt8, fmi3SetInt8, fmi3Int8, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt8, fmi3SetUInt8, fmi3UInt8, NOTHING, NULL, NULL)
VALUES(fmi3GetInt16, fmi3SetInt16, fmi3Int16, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt16, fmi3SetUInt16, fmi3UInt16, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt32, fmi3SetUInt32, fmi3UInt32, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt64, fmi3SetUInt64, fmi3UInt64, NOTHING, NULL, NULL)

static fmi3Status refuse_all(mb_instance *m, const char *function, unsigned modes,
                             const fmi3ValueReference references[], size_t n)
{
    if (!mb_enter(m, function, modes) || !mb_given_all(m, n, references, "valueReferences"))
        return fmi3Error;
    return (fmi3Status)mb_leave(m, mb_get_variables(m, NOTHING, references, n, NULL, NULL));
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

/* Partial derivatives */

/* Whether the call is allowed, no argument is missing, and the counts agree. */
static int enter_derivatives(mb_instance *m, const char *function, const mb_partial *of, int adjoint,
                 const double *seed, size_t seeds, const double *sensitivity, size_t sensitivities)
{
    if (!mb_enter(m, function, MB_CALCULATING) ||
        !mb_given_all(m, of->unknowns, of->unknown, "unknowns") ||
        !mb_given_all(m, of->knowns, of->known, "knowns") ||
        !mb_given_all(m, seeds, seed, "seed") ||
        !mb_given_all(m, sensitivities, sensitivity, "sensitivity"))
        return 0;
    const size_t unknowns = mb_count_values(m, of->unknown, of->unknowns);
    const size_t knowns = mb_count_values(m, of->known, of->knowns);
    const size_t given = adjoint ? unknowns : knowns, wanted = adjoint ? knowns : unknowns;
    if (seeds == given && sensitivities == wanted)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR,
                          "%lu seeds for %lu %s, and %lu sensitivities for %lu",
                          (unsigned long)seeds, (unsigned long)given,
                          MB_MODEL->arrays ? "elements of variables" : "scalar variables",
                          (unsigned long)sensitivities, (unsigned long)wanted));
    return 0;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter_derivatives(instance, __func__, &of, 0, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_directional(instance, &of, seed, sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter_derivatives(instance, __func__, &of, 1, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_adjoint(instance, &of, seed, sensitivity));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues)
{
    mb_instance *m = instance;
    const unsigned modes = MB_STEP | MB_TERMINATED | MB_FAILED | MB_IN_UPDATE;
    if (!mb_enter(m, __func__, modes | MB_CO_SIMULATION_ONLY) ||
        !mb_given_all(m, nValueReferences, valueReferences, "valueReferences") ||
        !mb_given_all(m, nValueReferences, orders, "orders") ||
        !mb_given_all(m, nValues, values, "values"))
        return fmi3Error;
    if (nValues != mb_count_values(m, valueReferences, nValueReferences))
        return (fmi3Status)mb_leave(m, refuse_count(m, nValues, valueReferences, nValueReferences));
    return (fmi3Status)mb_leave(
        m, mb_get_output_rates(m, valueReferences, orders, nValueReferences, values));
}
