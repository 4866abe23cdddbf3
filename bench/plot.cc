/*
 * Drawing of charts; see plot.h.
 *
 *     title
 *     note
 *     legend, two entries a line
 *     y label | plot area
 *               x label
 */
#include "plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace bench {

namespace {

constexpr double width = 860;
constexpr double height = 520;
constexpr double left = 92;
constexpr double right = width - 40;
constexpr double top = 132;
constexpr double bottom = height - 66;

/* Thousands, millions ... in words that an axis has room for. */
const char *const magnitudes[] = {"", " k", " M", " G", " T"};

const char *const head =
    "<style>\n"
    "text { font-family: 'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif; font-size: 13px; fill: #1b1f24; }\n"
    ".title { font-size: 18px; font-weight: bold; }\n"
    ".note, .tick { fill: #57606a; }\n"
    ".middle { text-anchor: middle; }\n"
    ".end { text-anchor: end; }\n"
    ".value { text-anchor: middle; font-size: 12px; }\n"
    ".paper { fill: #ffffff; }\n"
    ".grid { stroke: #d0d7de; fill: none; }\n"
    ".axis { stroke: #57606a; fill: none; }\n"
    ".line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }\n"
    ".s0 { stroke: #7d8590; fill: #7d8590; }\n"
    ".s1 { stroke: #d9730d; fill: #d9730d; }\n"
    ".s2 { stroke: #2f7de1; fill: #2f7de1; }\n"
    ".s3 { stroke: #17946b; fill: #17946b; }\n"
    ".s4 { stroke: #a257c9; fill: #a257c9; }\n"
    ".s0.line, .s1.line, .s2.line, .s3.line, .s4.line { fill: none; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #e6edf3; }\n"
    ".note, .tick { fill: #9198a1; }\n"
    ".paper { fill: #0d1117; }\n"
    ".grid { stroke: #30363d; }\n"
    ".axis { stroke: #9198a1; }\n"
    "}\n"
    "</style>\n";

class page {
  public:
    explicit page(const plot_text &text) {
        add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
            width, height, width, height);
        add("<title>%s</title>\n", escaped(text.title).c_str());
        content_ += head;
        add("<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
        words("title", 24, 34, text.title);
        words("note", 24, 56, text.note);
        words("middle", (left + right) / 2, height - 18, text.x_label);
        add("<text class=\"middle\" transform=\"translate(26 %.1f) rotate(-90)\">%s</text>\n", (top + bottom) / 2,
            escaped(text.y_label).c_str());
    }

    void add(const char *format, ...) __attribute__((format(printf, 2, 3))) {
        char buffer[1024];
        va_list arguments;
        va_start(arguments, format);
        std::vsnprintf(buffer, sizeof buffer, format, arguments);
        va_end(arguments);
        content_ += buffer;
    }

    void words(const char *kind, double x, double y, const std::string &text) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", kind, x, y, escaped(text).c_str());
    }

    /* The marks differ in shape as well, for those who cannot tell the colours apart. */
    void mark(size_t series, double x, double y) {
        static const char *const shapes[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-3.8 -3.8h7.6v7.6h-7.6z",
                                             "M0 -5L5 4H-5z", "M0 -5.4L5.4 0L0 5.4L-5.4 0z", "M0 5L5 -4H-5z"};
        add("<path class=\"s%zu\" transform=\"translate(%.2f %.2f)\" d=\"%s\"/>\n", series, x, y, shapes[series]);
    }

    void legend(const std::vector<plot_series> &series, bool is_of_lines) {
        for (size_t i = 0; i < series.size(); i++) {
            double x = 32 + static_cast<double>(i % 2) * 420;
            double y = 82 + static_cast<double>(i / 2) * 20;
            if (is_of_lines) {
                mark(i, x, y - 4);
            } else {
                add("<rect class=\"s%zu\" x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\"/>\n", i, x - 6, y - 10);
            }
            words("label", x + 14, y, series[i].name);
        }
    }

    void grid_row(double y, const std::string &label) {
        add("<path class=\"grid\" d=\"M%.1f %.2fH%.1f\"/>\n", left, y, right);
        words("tick end", left - 8, y + 4.5, label);
    }

    void grid_column(double x, const std::string &label) {
        add("<path class=\"grid\" d=\"M%.2f %.1fV%.1f\"/>\n", x, top, bottom);
        words("tick middle", x, bottom + 20, label);
    }

    std::string finish() {
        add("<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n</svg>\n", left, top, bottom, right);
        return content_;
    }

  private:
    static std::string escaped(const std::string &text) {
        std::string result;
        for (char letter : text) {
            result += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : std::string(1, letter);
        }
        return result;
    }

    std::string content_;
};

double largest_y(const std::vector<plot_series> &series) {
    double largest = 0;
    for (const plot_series &one : series) {
        for (const auto &point : one.points) {
            largest = std::max(largest, point.second);
        }
    }
    return largest;
}

/* 1, 2 or 5 times a power of ten, so that up to eight of them reach `largest`. */
double tick_step(double largest) {
    double step = std::pow(10, std::floor(std::log10(largest)) - 1);
    for (int i = 0; largest / step > 8; i++) {
        step *= i % 3 == 1 ? 2.5 : 2;
    }
    return step;
}

std::string number_words(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/* A power of ten: 10, 1 k, 100 M. */
std::string power_words(int exponent) {
    if (exponent < 0 || exponent > 14) {
        return "1e" + std::to_string(exponent);
    }
    const char *const digits[] = {"1", "10", "100"};
    return std::string(digits[exponent % 3]) + magnitudes[exponent / 3];
}

/* A logarithmic axis; it ends at 1, 2 or 5 times a power of ten. */
struct log_axis {
    double first = 0; /* logarithms */
    double last = 1;
    double from = 0;
    double to = 0;

    log_axis(double least, double most, double begin, double end)
        : first(-rounded_up(1 / least)), last(rounded_up(most)), from(begin), to(end) {
        last = std::max(last, first + 1);
    }

    double at(double value) const {
        return from + (std::log10(value) - first) / (last - first) * (to - from);
    }

    int first_power() const {
        return static_cast<int>(std::ceil(first - 1e-9));
    }

    int last_power() const {
        return static_cast<int>(std::floor(last + 1e-9));
    }

  private:
    static double rounded_up(double value) {
        double power = std::floor(std::log10(value) + 1e-9);
        double digit = value / std::pow(10, power);
        double end = digit < 1 + 1e-9 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10;
        return power + std::log10(end);
    }
};

void draw_line(page &sheet, size_t number, const plot_series &series, const log_axis &x, const log_axis &y) {
    std::string path;
    for (const auto &point : series.points) {
        char step[64];
        std::snprintf(step, sizeof step, "%c%.2f %.2f", path.empty() ? 'M' : 'L', x.at(point.first),
                      y.at(point.second));
        path += step;
    }
    sheet.add("<path class=\"s%zu line\" d=\"%s\"/>\n", number, path.c_str());
    for (const auto &point : series.points) {
        sheet.mark(number, x.at(point.first), y.at(point.second));
    }
}

} // namespace

std::string plot_bars(const plot_text &text, const std::vector<std::string> &groups,
                      const std::vector<plot_series> &series) {
    page sheet(text);
    sheet.legend(series, false);
    double step = tick_step(largest_y(series));
    double most = std::ceil(largest_y(series) * 1.04 / step) * step;
    for (double value = 0; value < most + step / 2; value += step) {
        sheet.grid_row(bottom - value / most * (bottom - top), number_words(value));
    }
    double group_width = (right - left) / static_cast<double>(groups.size());
    double bar_width = group_width * 0.74 / static_cast<double>(series.size());
    for (size_t g = 0; g < groups.size(); g++) {
        sheet.words("tick middle", left + (static_cast<double>(g) + 0.5) * group_width, bottom + 20, groups[g]);
    }
    for (size_t i = 0; i < series.size(); i++) {
        for (const auto &point : series[i].points) {
            double x = left + (point.first + 0.13) * group_width + static_cast<double>(i) * bar_width;
            double tall = point.second / most * (bottom - top);
            sheet.add("<rect class=\"s%zu\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", i, x + 3,
                      bottom - tall, bar_width - 6, tall);
            sheet.words("value", x + bar_width / 2, bottom - tall - 6, number_words(point.second));
        }
    }
    return sheet.finish();
}

std::string plot_lines(const plot_text &text, const std::vector<plot_series> &series) {
    page sheet(text);
    sheet.legend(series, true);
    double least_x = HUGE_VAL;
    double least_y = HUGE_VAL;
    double most_x = 0;
    for (const plot_series &one : series) {
        for (const auto &point : one.points) {
            least_x = std::min(least_x, point.first);
            most_x = std::max(most_x, point.first);
            least_y = std::min(least_y, point.second);
        }
    }
    log_axis x(least_x, most_x, left, right);
    log_axis y(least_y, largest_y(series), bottom, top);
    for (int exponent = y.first_power(); exponent <= y.last_power(); exponent++) {
        sheet.grid_row(y.at(std::pow(10, exponent)), power_words(exponent));
    }
    for (int exponent = x.first_power(); exponent <= x.last_power(); exponent++) {
        sheet.grid_column(x.at(std::pow(10, exponent)), power_words(exponent));
    }
    for (size_t i = 0; i < series.size(); i++) {
        draw_line(sheet, i, series[i], x, y);
    }
    return sheet.finish();
}

} // namespace bench
