/*
 * What is printed: rows of CSV, or a table for people with the budgets beside the figures.
 *
 * Google Benchmark hands over the repeats of one subject at a time; a case is printed when both of its subjects are
 * there, so that rows appear while the rest still runs. A figure is the median of its repeats; the minimum stands
 * beside it in the CSV.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "case.h"

namespace bench {

enum class subject_kind { plain, shoal };

inline const char *name_of(subject_kind kind) {
    return kind == subject_kind::plain ? "plain" : "shoal";
}

/* "case/n/subject", which is also how Google Benchmark and error messages name it. */
std::string label_of(const bench_case &which, subject_kind kind);

/* What the system calls the processor. */
std::string processor_name();

/* Names of the counters that carry a sample through Google Benchmark. */
inline constexpr const char *figure_counter = "figure";
inline constexpr const char *resident_counter = "resident";

enum class report_format { table, csv };

class report : public benchmark::BenchmarkReporter {
  public:
    report(report_format format, size_t repeats) : format_(format), repeats_(repeats) {
    }

    /* Says which case the names of a benchmark belong to; `which` must outlive the report. */
    void expect(const bench_case &which);

    bool ReportContext(const Context &context) override;
    void ReportRuns(const std::vector<Run> &runs) override;
    void Finalize() override;

    bool failed() const {
        return failed_;
    }

  private:
    struct figure {
        double minimum = 0;
        double median = 0;
        double resident = 0;
        bool there = false;
    };
    struct row {
        const bench_case *which = nullptr;
        figure plain;
        figure shoal;
        bool printed = false;
    };

    static figure figure_of(const std::vector<Run> &runs);
    void print_csv(const bench_case &which, subject_kind kind, const figure &value) const;
    void print_row(const row &entry);
    void print_resident(const bench_case &which, subject_kind kind, const figure &value) const;
    void print_missing(const std::string &name);

    report_format format_;
    size_t repeats_;
    std::map<std::string, row> rows_; /* by "case/n" */
    size_t met_ = 0;
    size_t missed_ = 0;
    bool failed_ = false;
};

} // namespace bench

#endif
