/*
 * Printing of results; see report.h.
 */
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace bench {

namespace {

/* Resident memory that differs less from the bytes held is not worth a line. */
constexpr double resident_tolerance = 0.05;

std::string key_of(const bench_case &which) {
    return std::string(which.name) + "/" + std::to_string(which.n);
}

/* Three digits or more, as few as say something. */
std::string number_text(double value) {
    char text[48];
    int decimals = value < 100 ? 2 : value < 1000 ? 1 : 0;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string figure_text(const bench_case &which, double value) {
    return number_text(value) + (which.unit == BENCH_BYTES ? " B" : " ns");
}

std::string budget_text(const bench_case &which) {
    switch (which.budget_kind) {
    case BENCH_AT_MOST_RATIO:
        return number_text(which.budget) + " x";
    case BENCH_AT_MOST_FIGURE:
        return figure_text(which, which.budget);
    case BENCH_NO_BUDGET:
        break;
    }
    return "-";
}

const char *const table_line = "%-26s %9s %12s %12s %7s %12s  %s\n";

} // namespace

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

std::string label_of(const bench_case &which, subject_kind kind) {
    return key_of(which) + "/" + name_of(kind);
}

void report::expect(const bench_case &which) {
    rows_[key_of(which)].which = &which;
}

bool report::ReportContext(const Context &context) {
    if (format_ == report_format::csv) {
        std::printf("case,n,subject,min_ns,median_ns\n");
        std::fflush(stdout);
        return true;
    }
    std::printf("%s, %d processors, compiler %s\n", processor_name().c_str(), context.cpu_info.num_cpus, __VERSION__);
    std::printf("Medians of %zu repeats, plain and shoal in turn; ratio is shoal to plain.\n\n", repeats_);
    std::printf(table_line, "case", "n", "plain", "shoal", "ratio", "budget", "");
    std::fflush(stdout);
    return true;
}

/* One wrong result, and none of the repeats is worth anything. */
report::figure report::figure_of(const std::vector<Run> &runs) {
    std::vector<double> values;
    figure result;
    for (const Run &run : runs) {
        if (run.error_occurred) {
            return {};
        }
        values.push_back(run.counters.at(figure_counter));
        result.resident = run.counters.at(resident_counter);
    }
    std::sort(values.begin(), values.end());
    size_t middle = values.size() / 2;
    result.minimum = values.front();
    result.median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    result.there = true;
    return result;
}

void report::ReportRuns(const std::vector<Run> &runs) {
    if (runs.empty() || runs.front().run_type != Run::RT_Iteration) {
        return;
    }
    for (const Run &run : runs) {
        failed_ = failed_ || run.error_occurred;
    }
    const std::string &label = runs.front().run_name.function_name;
    auto found = rows_.find(label.substr(0, label.rfind('/')));
    if (found == rows_.end()) {
        return;
    }
    row &entry = found->second;
    bool is_plain = label.substr(label.rfind('/') + 1) == name_of(subject_kind::plain);
    (is_plain ? entry.plain : entry.shoal) = figure_of(runs);
    if (is_plain) {
        return;
    }
    entry.printed = true;
    if (!entry.plain.there || !entry.shoal.there) {
        print_missing(found->first);
    } else if (format_ == report_format::csv) {
        print_csv(*entry.which, subject_kind::plain, entry.plain);
        print_csv(*entry.which, subject_kind::shoal, entry.shoal);
    } else {
        print_row(entry);
    }
    std::fflush(stdout);
}

void report::print_missing(const std::string &name) {
    failed_ = true;
    if (format_ == report_format::table) {
        std::printf("%-26s FAILED, see the error stream\n", name.c_str());
    }
}

void report::print_csv(const bench_case &which, subject_kind kind, const figure &value) const {
    std::printf("%s,%zu,%s,%.4f,%.4f\n", which.name, which.n, name_of(kind), value.minimum, value.median);
}

void report::print_row(const row &entry) {
    const bench_case &which = *entry.which;
    double ratio = entry.shoal.median / entry.plain.median;
    const char *verdict = "";
    if (which.budget_kind != BENCH_NO_BUDGET) {
        double against = which.budget_kind == BENCH_AT_MOST_RATIO ? ratio : entry.shoal.median;
        bool met = against <= which.budget;
        met_ += met;
        missed_ += !met;
        verdict = met ? "met" : "MISSED";
    }
    char ratio_text[32];
    std::snprintf(ratio_text, sizeof ratio_text, "%.2f", ratio);
    std::printf(table_line, which.name, std::to_string(which.n).c_str(), figure_text(which, entry.plain.median).c_str(),
                figure_text(which, entry.shoal.median).c_str(), ratio_text, budget_text(which).c_str(), verdict);
    print_resident(which, subject_kind::plain, entry.plain);
    print_resident(which, subject_kind::shoal, entry.shoal);
}

void report::print_resident(const bench_case &which, subject_kind kind, const figure &value) const {
    double difference = value.resident - value.median;
    if (value.resident > 0 && std::max(difference, -difference) > resident_tolerance * value.median) {
        std::printf("  (%s: resident %s)\n", name_of(kind), figure_text(which, value.resident).c_str());
    }
}

void report::Finalize() {
    if (format_ == report_format::table) {
        std::printf("\n%zu budgets met, %zu missed\n", met_, missed_);
    }
    std::fflush(stdout);
}

} // namespace bench
