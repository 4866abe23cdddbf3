/*
 * A job that is being run, and going through its rows; task.c and strips.c share it.
 */
#ifndef SHOAL_SCHEDULE_JOB_H
#define SHOAL_SCHEDULE_JOB_H

#include "schedule.h"

typedef struct job_walk {
    schedule_task *task;
    schedule_worker *worker;
    worker_system **lane; /* what the worker has of the task's systems */
    uint64_t place;       /* of its failures: round, job */
    uint64_t tick;
    uint64_t dt_ns;
    double dt;
} job_walk;

/* All rows from where a job begins to where it ends. */
void job_go_through(const job_walk *walk, const task_job *begin, const task_job *end);

/* A query that orders, groups or goes by a list: its rows in that order. */
void job_go_in_order(const job_walk *walk, worker_system *own);

/* What is the same before each call of a system's function. */
static ALWAYS_INLINE void job_call_begin(const job_walk *walk, worker_system *own) {
    walk->worker->current = own->system;
    walk->worker->scope.name = own->name;
    own->run.tick = walk->tick;
    own->run.dt = walk->dt;
    own->run.dt_ns = walk->dt_ns;
    if (own->records) {
        own->commands->first_valid = own->commands->spawn_count;
    }
}

#endif
