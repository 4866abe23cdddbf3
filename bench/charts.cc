/*
 * Measuring for charts; see charts.h.
 *
 * A point is the median of runs in a process of its own, as in the table. The subjects of one chart run one after the
 * other and not in turn: four worlds of ten million rows would not fit into every machine's memory at once.
 */
#include "charts.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "plot.h"
#include "report.h"
#include "sweep.h"
#include "worker.h"

namespace bench {

namespace {

constexpr size_t bars_rows = 10000000;
constexpr size_t most_rows = 10000000;

std::optional<double> median_of(const char *name, const bench_subject &subject, size_t n, size_t repeats) {
    bench_case owner = {};
    owner.name = name;
    owner.n = n;
    owner.standing = true;
    worker process(subject, owner, std::string(name) + "/" + std::to_string(n));
    std::vector<double> figures;
    for (size_t i = 0; i < repeats; i++) {
        std::optional<bench_sample> sample = process.run();
        if (!sample) {
            return std::nullopt;
        }
        figures.push_back(sample->figure);
    }
    if (!process.close()) {
        return std::nullopt;
    }
    std::sort(figures.begin(), figures.end());
    return figures[figures.size() / 2];
}

std::string note_of(const std::string &what, size_t repeats) {
    return what + " " + processor_name() + ", medians of " + std::to_string(repeats) + ".";
}

bool write_file(const std::string &path, const std::string &content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    if (!file) {
        std::fprintf(stderr, "shoal_bench: cannot write %s\n", path.c_str());
        return false;
    }
    std::printf("%s\n", path.c_str());
    return true;
}

/* ---- threads.svg ---- */

const bench_case &fused_case(const char *name) {
    const bench_case *begin = bench_fused.cases;
    const bench_case *end = begin + bench_fused.case_count;
    return *std::find_if(begin, end, [name](const bench_case &one) { return std::strcmp(one.name, name) == 0; });
}

bool write_threads(const std::string &directory, size_t repeats) {
    const struct {
        const char *name;
        const bench_subject &alone;
        const bench_subject &two;
    } sources[] = {
        {"arrays by hand, loop after loop", fused_case("fused8").plain, fused_case("fused8_2t").plain},
        {"Shoal, system after system", fused_case("unfused8").shoal, fused_case("unfused8_2t").shoal},
        {"Shoal, fused (as it comes)", fused_case("fused8").shoal, fused_case("fused8_2t").shoal},
    };
    std::vector<plot_series> series;
    for (const auto &source : sources) {
        std::optional<double> alone = median_of("threads.svg, one thread", source.alone, bars_rows, repeats);
        std::optional<double> two = median_of("threads.svg, two threads", source.two, bars_rows, repeats);
        if (!alone || !two) {
            return false;
        }
        series.push_back({source.name, {{0, *alone}, {1, *two}}});
    }
    plot_text text = {"Eight light systems over ten million entities of 48 bytes", note_of("Lower is better.", repeats),
                      "", "nanoseconds an entity, all eight systems"};
    return write_file(directory + "/threads.svg", plot_bars(text, {"one thread", "two threads"}, series));
}

/* ---- rows.svg ---- */

/* 1, 3, 10, 30 ... */
std::vector<size_t> row_counts() {
    std::vector<size_t> counts;
    for (size_t power = 1; power <= most_rows; power *= 10) {
        counts.push_back(power);
        if (power * 3 < most_rows) {
            counts.push_back(power * 3);
        }
    }
    return counts;
}

bool write_rows(const std::string &directory, size_t repeats) {
    const struct {
        const char *name;
        const bench_subject &subject;
    } sources[] = {
        {"arrays by hand, loop after loop, one thread", sweep_plain},
        {"Shoal, system after system, one thread", sweep_unfused},
        {"Shoal, fused, one thread", sweep_fused},
        {"Shoal, fused, two workers (as it comes)", sweep_shared},
    };
    std::vector<plot_series> series;
    for (const auto &source : sources) {
        plot_series line = {source.name, {}};
        for (size_t n : row_counts()) {
            std::optional<double> figure = median_of("rows.svg", source.subject, n, repeats);
            if (!figure) {
                return false;
            }
            line.points.emplace_back(static_cast<double>(n), 1e9 / *figure);
        }
        series.push_back(line);
    }
    plot_text text = {"A step of four light systems over 48 bytes an entity", note_of("Higher is better.", repeats),
                      "entities", "entities a second, through all four systems"};
    return write_file(directory + "/rows.svg", plot_lines(text, series));
}

} // namespace

bool write_charts(const std::string &directory, size_t repeats) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) {
        std::fprintf(stderr, "shoal_bench: %s: %s\n", directory.c_str(), error.message().c_str());
        return false;
    }
    return write_threads(directory, repeats) && write_rows(directory, repeats);
}

} // namespace bench
