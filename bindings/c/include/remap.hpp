// The C++ interface of remapping: the handles of remap.h, owned; errors are exceptions. C++11.
#ifndef REMAP_HPP
#define REMAP_HPP

#include "remap.h"

#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace remap {

/// What went wrong; what() is a sentence for people.
class error : public std::runtime_error {
public:
    error(remap_status status, const char *message)
        : std::runtime_error(message), status_(status) {}

    remap_status status() const noexcept { return status_; }

private:
    remap_status status_;
};

namespace detail {

inline void check(remap_status status) {
    if (status != REMAP_OK)
        throw error(status, remap_last_error());
}

inline std::string taken(char *text) {
    std::unique_ptr<char, void (*)(char *)> held(text, remap_text_free);
    return std::string(held.get());
}

/// A reduction of the caller's, and what it has thrown: exceptions must not pass through the library.
struct reduction {
    remap_reduce reduce;
    void *context;
    std::exception_ptr thrown;

    static int run(void *context, double *values, std::size_t count, remap_operation operation) {
        reduction *held = static_cast<reduction *>(context);
        try {
            return held->reduce(held->context, values, count, operation);
        } catch (...) {
            held->thrown = std::current_exception();
            return 1;
        }
    }
};

struct ends {
    void operator()(remap_controller *handle) const { remap_controller_free(handle); }
    void operator()(remap_monitor *handle) const { remap_monitor_free(handle); }
    void operator()(remap_fit *handle) const { remap_fit_free(handle); }
};

} // namespace detail

/// A policy of `remap replay` in a running program.
class controller {
public:
    /// By its name, for remaps that cost `remap_cost`.
    controller(const std::string &policy, double remap_cost) {
        remap_controller *made = nullptr;
        detail::check(remap_controller_new(policy.c_str(), remap_cost, &made));
        held_.reset(made);
    }

    /// Trained on recorded steps: `times` has the ranks of the first step, then the second, and so on.
    static controller trained(const std::string &policy, double remap_cost,
                              const std::vector<double> &times, std::size_t ranks,
                              std::int64_t steps_left = -1) {
        remap_controller *made = nullptr;
        const std::size_t steps = ranks == 0 ? 0 : times.size() / ranks;
        detail::check(remap_controller_train(policy.c_str(), remap_cost, times.data(), ranks, steps,
                                             steps_left, &made));
        return controller(made);
    }

    /// As save() or `remap export --to controller` wrote it.
    static controller restored(const std::string &text) {
        remap_controller *made = nullptr;
        detail::check(remap_controller_restore(text.c_str(), &made));
        return controller(made);
    }

    /// At the interval of least cost by what a fit has seen.
    static controller of(const remap_fit *fit, double remap_cost) {
        remap_controller *made = nullptr;
        detail::check(remap_fit_controller(fit, remap_cost, &made));
        return controller(made);
    }

    std::string save() const {
        char *text = nullptr;
        detail::check(remap_controller_save(held_.get(), &text));
        return detail::taken(text);
    }

    remap_needs needs() const { return remap_controller_needs(held_.get()); }

    void steps_left(std::uint64_t steps) {
        detail::check(remap_controller_steps_left(held_.get(), steps));
    }

    /// Whether to remap after a step with these times.
    bool step(const std::vector<double> &times) { return step(times.data(), times.size()); }

    bool step(const double *times, std::size_t ranks) {
        bool wanted = false;
        detail::check(remap_controller_step_times(held_.get(), times, ranks, &wanted));
        return wanted;
    }

    /// The same from the largest and the mean time.
    bool step(double max, double mean) {
        bool wanted = false;
        detail::check(remap_controller_step(held_.get(), max, mean, &wanted));
        return wanted;
    }

    /// The same on all ranks at once, each with a controller of its own. What `reduce` throws is thrown again from
    /// here; the step is then not taken in.
    bool step_local(double seconds, std::size_t rank, std::size_t ranks, remap_reduce reduce,
                    void *context) {
        bool wanted = false;
        detail::reduction held = {reduce, context, nullptr};
        const remap_status status =
            remap_controller_step_local(held_.get(), seconds, rank, ranks,
                                        reduce ? detail::reduction::run : nullptr, &held, &wanted);
        if (held.thrown)
            std::rethrow_exception(held.thrown);
        detail::check(status);
        return wanted;
    }

    /// The program has remapped, at this cost if it was measured.
    void remapped(double seconds = NAN) {
        detail::check(remap_controller_remapped(held_.get(), seconds));
    }

    double remap_cost() const { return remap_controller_remap_cost(held_.get()); }

    remap_controller *get() const noexcept { return held_.get(); }

private:
    explicit controller(remap_controller *made) : held_(made) {}

    std::unique_ptr<remap_controller, detail::ends> held_;
};

/// Bayes' rule and optimal thresholds in a running program.
class monitor {
public:
    /// Of measurements: means of `batch`, in clusters of `cluster`.
    monitor(const remap_phase_change &problem, std::uint32_t batch, std::uint32_t cluster) {
        remap_monitor *made = nullptr;
        detail::check(remap_monitor_new(&problem, batch, cluster, &made));
        held_.reset(made);
    }

    /// Of reports: the chances of each level before and after the change.
    monitor(const remap_phase_change &problem, const std::vector<double> &before,
            const std::vector<double> &after) {
        remap_monitor *made = nullptr;
        same(before, after);
        detail::check(remap_monitor_new_levels(&problem, before.data(), after.data(),
                                               before.size(), &made));
        held_.reset(made);
    }

    /// Of reports, where phases alternate.
    monitor(const remap_phase_switching &problem, const std::vector<double> &before,
            const std::vector<double> &after) {
        remap_monitor *made = nullptr;
        same(before, after);
        detail::check(remap_monitor_new_switching(&problem, before.data(), after.data(),
                                                  before.size(), &made));
        held_.reset(made);
    }

    /// As save() wrote it.
    static monitor restored(const std::string &text) {
        remap_monitor *made = nullptr;
        detail::check(remap_monitor_restore(text.c_str(), &made));
        return monitor(made);
    }

    std::string save() const {
        char *text = nullptr;
        detail::check(remap_monitor_save(held_.get(), &text));
        return detail::taken(text);
    }

    remap_decision observe(double measurement) {
        remap_decision found;
        detail::check(remap_monitor_observe(held_.get(), measurement, &found));
        return found;
    }

    remap_decision report(std::size_t level) {
        remap_decision found;
        detail::check(remap_monitor_report(held_.get(), level, &found));
        return found;
    }

    void remapped() { detail::check(remap_monitor_remapped(held_.get())); }

    remap_monitor *get() const noexcept { return held_.get(); }

private:
    explicit monitor(remap_monitor *made) : held_(made) {}

    static void same(const std::vector<double> &before, const std::vector<double> &after) {
        if (before.size() != after.size())
            throw error(REMAP_SIZE, "before and after have not as many levels");
    }

    std::unique_ptr<remap_monitor, detail::ends> held_;
};

/// Statistics of the times of one rank, and what was merged from others.
class fit {
public:
    fit() {
        remap_fit *made = nullptr;
        detail::check(remap_fit_new(&made));
        held_.reset(made);
    }

    /// As save() wrote it.
    static fit restored(const std::string &text) {
        remap_fit *made = nullptr;
        detail::check(remap_fit_restore(text.c_str(), &made));
        return fit(made);
    }

    std::string save() const {
        char *text = nullptr;
        detail::check(remap_fit_save(held_.get(), &text));
        return detail::taken(text);
    }

    void step(double seconds, double mean) {
        detail::check(remap_fit_step(held_.get(), seconds, mean));
    }

    void remapped(double seconds = NAN) {
        detail::check(remap_fit_remapped(held_.get(), seconds));
    }

    std::vector<double> pack() const {
        std::vector<double> numbers(REMAP_FIT_NUMBERS);
        detail::check(remap_fit_pack(held_.get(), numbers.data(), numbers.size()));
        return numbers;
    }

    void merge(const std::vector<double> &numbers) {
        detail::check(remap_fit_merge(held_.get(), numbers.data(), numbers.size()));
    }

    remap_fit_summary_t summary() const {
        remap_fit_summary_t found;
        detail::check(remap_fit_summary(held_.get(), &found));
        return found;
    }

    /// A model file for `remap solve`.
    std::string model(double remap_cost) const {
        char *text = nullptr;
        detail::check(remap_fit_model(held_.get(), remap_cost, &text));
        return detail::taken(text);
    }

    /// A controller at the interval of least cost.
    remap::controller controller(double remap_cost) const {
        return remap::controller::of(held_.get(), remap_cost);
    }

    remap_fit *get() const noexcept { return held_.get(); }

private:
    explicit fit(remap_fit *made) : held_(made) {}

    std::unique_ptr<remap_fit, detail::ends> held_;
};

} // namespace remap

#endif
