/* A unit's library in this process, its functions by name. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <dlfcn.h>

#include "process.h"

static void *library;

static void open_library(const char *path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die(dlerror());
}

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        die(name);
    return found;
}

/* Declares a pointer to a function of FMI, named with an underscore behind. */
#define FIND(name) name##TYPE *name##_ = (name##TYPE *)find(#name)

#endif
