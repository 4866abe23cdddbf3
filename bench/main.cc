/*
 * The benchmark program: every case of design and issue, shoal beside plain, on Google Benchmark.
 *
 * Each subject of a case is registered as one benchmark with manual time. Its repeats come from a pair of worker
 * processes that are asked in turn (plain, shoal, plain, shoal ...), so that noise on the machine hits both alike;
 * what Google Benchmark asks for first, plain, brings the other's sample with it.
 *
 * Exit codes: 0 all cases ran and their results were right (budgets are reported, not enforced), 1 some case
 * failed, 2 bad arguments.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "charts.h"
#include "report.h"
#include "worker.h"

namespace bench {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr size_t default_repeats = 15;
/* More would take counts in single precision (see components.h) beyond 2^24. */
constexpr size_t most_repeats = 99;

const char *const usage =
    "usage: shoal_bench [--csv] [--filter REGEX] [--repeats N] [--list] [--charts DIR]\n"
    "\n"
    "  --csv           prints rows case,n,subject,min_ns,median_ns (bytes for mem_ cases)\n"
    "  --filter REGEX  runs the cases whose \"name/n\" matches somewhere\n"
    "  --repeats N     runs of each subject, 1 to 99; default 15\n"
    "  --list          prints the cases and runs nothing\n"
    "  --charts DIR    writes threads.svg and rows.svg into a directory, and runs no cases\n"
    "  --benchmark_... options of Google Benchmark, for example --benchmark_out=FILE\n"
    "\n"
    "Figures are for one entity, row, command or call, but for: iter_frag26, dispatch_query,\n"
    "query_cached_iter and order_begin_, order_one_ (a whole pass); progress_ and small_world_ (a\n"
    "step); dispatch_sys100 (a system); parallel_overhead_2t and parallel_handoff_2t (a parallel\n"
    "pass with two workers; in the second the helper takes part in each); fused8 and unfused8 (a\n"
    "row through all eight systems; plain is one loop after the other, in fused8_strips strips).\n";

const bench_theme *const themes[] = {&bench_iterate,     &bench_lifecycle,   &bench_change,    &bench_access,
                                     &bench_kinds,       &bench_sparse,      &bench_tree,      &bench_costs,
                                     &bench_costs_links, &bench_costs_order, &bench_footprint, &bench_hash,
                                     &bench_schedule,    &bench_parallel,    &bench_fused,     &bench_small_world};

struct options {
    report_format format = report_format::table;
    std::regex filter{""}; /* matches everything */
    size_t repeats = default_repeats;
    bool list = false;
    bool help = false;
    std::string charts; /* directory; empty: none */
    std::vector<char *> passed_on;
};

/* The two subjects of a case and the samples that were taken and not yet handed out. */
class pair {
  public:
    explicit pair(const bench_case &which)
        : plain_(which.plain, which, label_of(which, subject_kind::plain)),
          shoal_(which.shoal, which, label_of(which, subject_kind::shoal)) {
    }

    std::optional<bench_sample> next(subject_kind kind) {
        std::deque<bench_sample> &waiting = kind == subject_kind::plain ? plain_samples_ : shoal_samples_;
        if (waiting.empty() && !take()) {
            return std::nullopt;
        }
        bench_sample sample = waiting.front();
        waiting.pop_front();
        return sample;
    }

    bool close() {
        bool plain_is_right = plain_.close();
        bool shoal_is_right = shoal_.close();
        return plain_is_right && shoal_is_right;
    }

  private:
    bool take() {
        std::optional<bench_sample> plain = plain_.run();
        std::optional<bench_sample> shoal = shoal_.run();
        if (!plain || !shoal) {
            close();
            return false;
        }
        plain_samples_.push_back(*plain);
        shoal_samples_.push_back(*shoal);
        return true;
    }

    worker plain_;
    worker shoal_;
    std::deque<bench_sample> plain_samples_;
    std::deque<bench_sample> shoal_samples_;
};

/* What a benchmark of Google Benchmark runs for each repeat. `left` counts the repeats of both subjects down. */
struct repeat {
    std::shared_ptr<pair> subjects;
    std::shared_ptr<size_t> left;
    subject_kind kind;
    bench_unit unit;

    void operator()(benchmark::State &state) const {
        for (auto once : state) {
            (void)once;
            std::optional<bench_sample> sample = subjects->next(kind);
            bool is_last = --*left == 0;
            if (!sample || (is_last && !subjects->close())) {
                state.SkipWithError("wrong result or failed process");
                return;
            }
            state.SetIterationTime(unit == BENCH_NANOSECONDS ? sample->figure * 1e-9 : 0);
            state.counters[figure_counter] = sample->figure;
            state.counters[resident_counter] = sample->resident_bytes;
        }
    }
};

void register_case(const bench_case &which, size_t repeats) {
    size_t count = which.once ? 1 : repeats;
    auto subjects = std::make_shared<pair>(which);
    auto left = std::make_shared<size_t>(2 * count);
    for (subject_kind kind : {subject_kind::plain, subject_kind::shoal}) {
        benchmark::RegisterBenchmark(label_of(which, kind).c_str(), repeat{subjects, left, kind, which.unit})
            ->UseManualTime()
            ->Iterations(1)
            ->Repetitions(static_cast<int>(count));
    }
}

std::vector<const bench_case *> chosen_cases(const options &chosen) {
    std::vector<const bench_case *> cases;
    for (const bench_theme *theme : themes) {
        for (size_t i = 0; i < theme->case_count; i++) {
            const bench_case &which = theme->cases[i];
            std::string name = std::string(which.name) + "/" + std::to_string(which.n);
            if (std::regex_search(which.name, chosen.filter) || std::regex_search(name, chosen.filter)) {
                cases.push_back(&which);
            }
        }
    }
    return cases;
}

bool refuse(const char *what, const char *argument) {
    std::fprintf(stderr, "shoal_bench: %s: %s\n", what, argument);
    return false;
}

bool parse_filter(const char *text, options &chosen) {
    try {
        chosen.filter = std::regex(text);
    } catch (const std::regex_error &) {
        return refuse("not a regular expression", text);
    }
    return true;
}

bool parse_repeats(const char *text, options &chosen) {
    char *end = nullptr;
    unsigned long value = std::strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most_repeats) {
        return refuse("--repeats wants a number from 1 to 99, not", text);
    }
    chosen.repeats = value;
    return true;
}

/* The value of an option, given as "--name value" or "--name=value"; null when `argument` is not that option. */
const char *option_value(const char *name, int count, char **arguments, int &index) {
    const char *argument = arguments[index];
    size_t length = std::strlen(name);
    if (std::strncmp(argument, name, length) != 0) {
        return nullptr;
    }
    if (argument[length] == '=') {
        return argument + length + 1;
    }
    if (argument[length] == '\0' && index + 1 < count) {
        return arguments[++index];
    }
    return nullptr;
}

bool parse_argument(int count, char **arguments, int &index, options &chosen) {
    std::string argument = arguments[index];
    if (const char *filter = option_value("--filter", count, arguments, index)) {
        return parse_filter(filter, chosen);
    }
    if (const char *repeats = option_value("--repeats", count, arguments, index)) {
        return parse_repeats(repeats, chosen);
    }
    if (const char *charts = option_value("--charts", count, arguments, index)) {
        chosen.charts = charts;
        return chosen.charts.empty() ? refuse("no value for", "--charts") : true;
    }
    if (argument == "--csv") {
        chosen.format = report_format::csv;
    } else if (argument == "--list") {
        chosen.list = true;
    } else if (argument == "--help") {
        chosen.help = true;
    } else if (argument.rfind("--benchmark_", 0) == 0) {
        chosen.passed_on.push_back(arguments[index]);
    } else if (argument == "--filter" || argument == "--repeats" || argument == "--charts") {
        return refuse("no value for", argument.c_str());
    } else {
        return refuse("unknown argument", argument.c_str());
    }
    return true;
}

bool parse(int count, char **arguments, options &chosen) {
    chosen.passed_on.push_back(arguments[0]);
    for (int i = 1; i < count; i++) {
        if (!parse_argument(count, arguments, i, chosen)) {
            return false;
        }
    }
    return true;
}

int run(const std::vector<const bench_case *> &cases, options &chosen) {
    int passed_count = static_cast<int>(chosen.passed_on.size());
    benchmark::Initialize(&passed_count, chosen.passed_on.data());
    if (passed_count > 1) {
        refuse("unknown argument", chosen.passed_on[1]);
        return exit_usage;
    }
    report printer(chosen.format, chosen.repeats);
    for (const bench_case *which : cases) {
        printer.expect(*which);
        register_case(*which, chosen.repeats);
    }
    benchmark::RunSpecifiedBenchmarks(&printer);
    benchmark::Shutdown();
    return printer.failed() ? exit_failed : 0;
}

int main_with(options &chosen) {
    std::vector<const bench_case *> cases = chosen_cases(chosen);
    if (cases.empty()) {
        refuse("no case matches", "--filter; see --list");
        return exit_usage;
    }
    if (chosen.list) {
        for (const bench_case *which : cases) {
            std::printf("%s/%zu\n", which->name, which->n);
        }
        return 0;
    }
    return run(cases, chosen);
}

} // namespace
} // namespace bench

int main(int count, char **arguments) {
    bench::options chosen;
    if (!bench::parse(count, arguments, chosen)) {
        return bench::exit_usage;
    }
    if (chosen.help) {
        std::fputs(bench::usage, stdout);
        return 0;
    }
    /* A worker that has failed is found by its closed pipe, not by a signal that ends the program. */
    std::signal(SIGPIPE, SIG_IGN);
    if (!chosen.charts.empty()) {
        return bench::write_charts(chosen.charts, chosen.repeats) ? 0 : bench::exit_failed;
    }
    return bench::main_with(chosen);
}
