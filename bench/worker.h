/*
 * One subject of one case in a process of its own.
 *
 * The process is forked before the first run and lives until close(), so that neither the other subject's heap nor
 * that of the case before has any part in a figure. It waits while it is not asked: two workers that are asked in
 * turn never run at the same time. Protocol over two pipes: the parent writes one byte (run, finish), the child
 * answers with one reply; a child that finds a wrong result explains itself on the error stream and dies, which the
 * parent sees as the end of the pipe.
 *
 * One thread, the main one, uses workers.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <optional>
#include <string>

#include <sys/types.h>

#include "case.h"

namespace bench {

class worker {
  public:
    worker(const bench_subject &subject, const bench_case &owner, std::string label);
    ~worker();
    worker(const worker &) = delete;
    worker &operator=(const worker &) = delete;

    /* One run, the first one after the setup; nothing when the process has failed. */
    std::optional<bench_sample> run();

    /* Checks what is left and ends the process; false when the check or anything before it has failed. */
    bool close();

  private:
    [[noreturn]] void serve(int requests, int replies) const;
    bool start();
    std::optional<bench_sample> ask(char request);
    int reap();
    void explain(int status) const;

    const bench_subject &subject_;
    const bench_case &owner_;
    std::string label_;
    pid_t process_ = -1;
    int requests_ = -1;
    int replies_ = -1;
    bool failed_ = false;
};

} // namespace bench

#endif
