/*
 * Processes of subjects; see worker.h.
 *
 * The child leaves with _exit: what the parent had not yet flushed is the parent's to print.
 */
#include "worker.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

namespace bench {

namespace {

constexpr char request_run = 'r';
constexpr char request_finish = 'f';

bool read_whole(int file, void *data, size_t size) {
    char *bytes = static_cast<char *>(data);
    while (size > 0) {
        ssize_t got = read(file, bytes, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        bytes += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

/* Requests and replies are smaller than a pipe's atomic write. */
bool write_whole(int file, const void *data, size_t size) {
    ssize_t put = -1;
    do {
        put = write(file, data, size);
    } while (put < 0 && errno == EINTR);
    return put == static_cast<ssize_t>(size);
}

} // namespace

worker::worker(const bench_subject &subject, const bench_case &owner, std::string label)
    : subject_(subject), owner_(owner), label_(std::move(label)) {
}

worker::~worker() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        reap();
    }
}

void worker::serve(int requests, int replies) const {
    bench_set_label(label_.c_str());
    void *state = subject_.setup(owner_.n);
    char request = 0;
    while (read_whole(requests, &request, sizeof request) && request == request_run) {
        if (owner_.standing) {
            subject_.run(state);
        }
        bench_sample sample = subject_.run(state);
        if (!write_whole(replies, &sample, sizeof sample)) {
            _exit(1);
        }
    }
    if (request != request_finish) {
        _exit(1);
    }
    subject_.finish(state);
    bench_sample farewell = {};
    _exit(write_whole(replies, &farewell, sizeof farewell) ? 0 : 1);
}

bool worker::start() {
    int requests[2];
    int replies[2];
    if (pipe(requests) != 0) {
        std::fprintf(stderr, "bench: %s: no pipe: %s\n", label_.c_str(), std::strerror(errno));
        return false;
    }
    if (pipe(replies) != 0) {
        std::fprintf(stderr, "bench: %s: no pipe: %s\n", label_.c_str(), std::strerror(errno));
        ::close(requests[0]);
        ::close(requests[1]);
        return false;
    }
    process_ = fork();
    if (process_ == 0) {
        ::close(requests[1]);
        ::close(replies[0]);
        serve(requests[0], replies[1]);
    }
    ::close(requests[0]);
    ::close(replies[1]);
    if (process_ < 0) {
        std::fprintf(stderr, "bench: %s: no process: %s\n", label_.c_str(), std::strerror(errno));
        ::close(requests[1]);
        ::close(replies[0]);
        return false;
    }
    requests_ = requests[1];
    replies_ = replies[0];
    return true;
}

std::optional<bench_sample> worker::ask(char request) {
    bench_sample reply = {};
    if (failed_ || !write_whole(requests_, &request, sizeof request) || !read_whole(replies_, &reply, sizeof reply)) {
        explain(reap());
        failed_ = true;
        return std::nullopt;
    }
    return reply;
}

std::optional<bench_sample> worker::run() {
    if (process_ < 0 && !failed_) {
        failed_ = !start();
    }
    return ask(request_run);
}

bool worker::close() {
    bool finished = process_ > 0 && ask(request_finish).has_value();
    reap();
    failed_ = true;
    return finished;
}

int worker::reap() {
    int status = 0;
    if (process_ > 0) {
        ::close(requests_);
        ::close(replies_);
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
    }
    return status;
}

/* A check that fails has said why; a crash cannot. */
void worker::explain(int status) const {
    if (WIFSIGNALED(status)) {
        std::fprintf(stderr, "bench: %s: ended by signal %d\n", label_.c_str(), WTERMSIG(status));
    }
}

} // namespace bench
