/* A unit of FMI 2.0 in a host, which shows what is logged. */
#ifndef FMI2_UNIT_H
#define FMI2_UNIT_H

#include "fmi2Functions.h"
#include "library.h"

static void show2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

/* NULL where there is none. */
static fmi2Component instantiate2(fmi2Type type, const char *token)
{
    static fmi2CallbackFunctions callbacks = {show2, calloc, free, NULL, NULL};
    FIND(fmi2Instantiate);
    return fmi2Instantiate_("unit", type, token, "", &callbacks, 0, 0);
}

#endif
