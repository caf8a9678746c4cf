/* The search for the first event in a step, for runs, FMUs and flows. */
#ifndef MB_SEARCH_H
#define MB_SEARCH_H

/* Indicators here are positive where modes are right, their bands included. */
typedef struct {
    double begin, end; /* of the step */
    int parts, events; /* equal parts, at whose ends indicators are known */
    double *sample;    /* (parts + 1) x events: these; NaN where one could not be had */
    double *indicator; /* room for those of one place, */
    double at;         /* which is this time; NaN where there are none */
    int (*between)(void *owner, double t, double *indicator); /* returns whether they are known */
    void *owner;
} mb_search;

int mb_fill_samples(mb_search *s, int first, int last);
double mb_first_event(mb_search *s);
int mb_may_dip(const double t[3], const double value[3]);

#endif
