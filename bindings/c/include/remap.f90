! The Fortran 2003 interface of remapping. Status codes are those of remap.h; 0 is all well.
module remap
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int), parameter, public :: remap_ok = 0, remap_null = 1, remap_argument = 2, &
        remap_size = 3, remap_needs_other = 4, remap_reduction = 5, remap_bug = 6
    integer(c_int), parameter, public :: remap_needs_max_mean = 0, remap_needs_min = 1, &
        remap_needs_times = 2
    integer(c_int), parameter, public :: remap_max = 0, remap_sum = 1
    integer, parameter, public :: remap_fit_numbers = 15

    ! One change of phase, seen by a detector that errs.
    type, bind(c), public :: remap_phase_change
        integer(c_int64_t) :: last_step
        real(c_double) :: end_rate, hazard, before, after, remapped, test, install
        real(c_double) :: false_alarm, missed, before_remapped
    end type

    ! Two phases that alternate. cycle(m, z) is the mean time in phase z under mapping m.
    type, bind(c), public :: remap_phase_switching
        integer(c_int64_t) :: last_step
        real(c_double) :: cycle(2, 2), switch_cost(2), rates(2), initial
    end type

    type, bind(c), public :: remap_decision
        logical(c_bool) :: decided, remap, reported
        integer(c_int64_t) :: step
        real(c_double) :: belief, threshold
    end type

    type, bind(c), public :: remap_fit_summary_t
        integer(c_int64_t) :: ranks, steps
        real(c_double) :: mean, drift_deviation, deviation, noise
        integer(c_int64_t) :: remaps
        real(c_double) :: remap_cost
    end type

    public :: remap_error, remap_controller_new, remap_controller_train, remap_controller_restore, &
        remap_controller_save, remap_controller_needs, remap_controller_steps_left, &
        remap_controller_step, remap_controller_step_times, remap_controller_step_local, &
        remap_controller_remapped, remap_controller_remap_cost, remap_controller_free, &
        remap_monitor_new, remap_monitor_new_levels, remap_monitor_new_switching, &
        remap_monitor_observe, remap_monitor_report, remap_monitor_remapped, remap_monitor_save, &
        remap_monitor_restore, remap_monitor_free, remap_fit_new, remap_fit_step, &
        remap_fit_remapped, remap_fit_pack, remap_fit_merge, remap_fit_summary, &
        remap_fit_controller, remap_fit_model, remap_fit_save, remap_fit_restore, remap_fit_free

    interface
        function c_last_error() bind(c, name="remap_last_error") result(text)
            import
            type(c_ptr) :: text
        end function
        subroutine c_text_free(text) bind(c, name="remap_text_free")
            import
            type(c_ptr), value :: text
        end subroutine
        function c_strlen(text) bind(c, name="strlen") result(length)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
        function c_controller_new(policy, remap_cost, controller) &
                bind(c, name="remap_controller_new") result(status)
            import
            character(kind=c_char), intent(in) :: policy(*)
            real(c_double), value :: remap_cost
            type(c_ptr), intent(out) :: controller
            integer(c_int) :: status
        end function
        function c_controller_train(policy, remap_cost, times, ranks, steps, steps_left, controller) &
                bind(c, name="remap_controller_train") result(status)
            import
            character(kind=c_char), intent(in) :: policy(*)
            real(c_double), value :: remap_cost
            real(c_double), intent(in) :: times(*)
            integer(c_size_t), value :: ranks, steps
            integer(c_int64_t), value :: steps_left
            type(c_ptr), intent(out) :: controller
            integer(c_int) :: status
        end function
        function c_controller_restore(text, controller) &
                bind(c, name="remap_controller_restore") result(status)
            import
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(out) :: controller
            integer(c_int) :: status
        end function
        function c_controller_save(controller, text) &
                bind(c, name="remap_controller_save") result(status)
            import
            type(c_ptr), value :: controller
            type(c_ptr), intent(out) :: text
            integer(c_int) :: status
        end function
        ! What the policy must be told of a step.
        function remap_controller_needs(controller) bind(c) result(needs)
            import
            type(c_ptr), value :: controller
            integer(c_int) :: needs
        end function
        function remap_controller_steps_left(controller, steps) bind(c) result(status)
            import
            type(c_ptr), value :: controller
            integer(c_int64_t), value :: steps
            integer(c_int) :: status
        end function
        ! Takes in a step by its largest and its mean time.
        function remap_controller_step(controller, max, mean, remap) bind(c) result(status)
            import
            type(c_ptr), value :: controller
            real(c_double), value :: max, mean
            logical(c_bool), intent(inout) :: remap
            integer(c_int) :: status
        end function
        ! The same by the time of each rank.
        function remap_controller_step_times(controller, times, ranks, remap) bind(c) result(status)
            import
            type(c_ptr), value :: controller
            real(c_double), intent(in) :: times(*)
            integer(c_size_t), value :: ranks
            logical(c_bool), intent(inout) :: remap
            integer(c_int) :: status
        end function
        ! The same on all ranks at once. reduce: a bind(c) function (context, values, count, operation) that
        ! returns 0, by c_funloc.
        function remap_controller_step_local(controller, seconds, rank, ranks, reduce, context, &
                remap) bind(c) result(status)
            import
            type(c_ptr), value :: controller, context
            real(c_double), value :: seconds
            integer(c_size_t), value :: rank, ranks
            type(c_funptr), value :: reduce
            logical(c_bool), intent(inout) :: remap
            integer(c_int) :: status
        end function
        ! The program has remapped; a negative cost was not measured.
        function remap_controller_remapped(controller, seconds) bind(c) result(status)
            import
            type(c_ptr), value :: controller
            real(c_double), value :: seconds
            integer(c_int) :: status
        end function
        function remap_controller_remap_cost(controller) bind(c) result(seconds)
            import
            type(c_ptr), value :: controller
            real(c_double) :: seconds
        end function
        subroutine remap_controller_free(controller) bind(c)
            import
            type(c_ptr), value :: controller
        end subroutine
        function remap_monitor_new(problem, batch, cluster, monitor) bind(c) result(status)
            import
            type(remap_phase_change), intent(in) :: problem
            integer(c_int32_t), value :: batch, cluster
            type(c_ptr), intent(out) :: monitor
            integer(c_int) :: status
        end function
        function remap_monitor_new_levels(problem, before, after, count, monitor) &
                bind(c) result(status)
            import
            type(remap_phase_change), intent(in) :: problem
            real(c_double), intent(in) :: before(*), after(*)
            integer(c_size_t), value :: count
            type(c_ptr), intent(out) :: monitor
            integer(c_int) :: status
        end function
        function remap_monitor_new_switching(problem, before, after, count, monitor) &
                bind(c) result(status)
            import
            type(remap_phase_switching), intent(in) :: problem
            real(c_double), intent(in) :: before(*), after(*)
            integer(c_size_t), value :: count
            type(c_ptr), intent(out) :: monitor
            integer(c_int) :: status
        end function
        function remap_monitor_observe(monitor, measurement, decision) bind(c) result(status)
            import
            type(c_ptr), value :: monitor
            real(c_double), value :: measurement
            type(remap_decision), intent(inout) :: decision
            integer(c_int) :: status
        end function
        ! Levels are numbered from 0.
        function remap_monitor_report(monitor, level, decision) bind(c) result(status)
            import
            type(c_ptr), value :: monitor
            integer(c_size_t), value :: level
            type(remap_decision), intent(inout) :: decision
            integer(c_int) :: status
        end function
        function remap_monitor_remapped(monitor) bind(c) result(status)
            import
            type(c_ptr), value :: monitor
            integer(c_int) :: status
        end function
        function c_monitor_save(monitor, text) bind(c, name="remap_monitor_save") result(status)
            import
            type(c_ptr), value :: monitor
            type(c_ptr), intent(out) :: text
            integer(c_int) :: status
        end function
        function c_monitor_restore(text, monitor) &
                bind(c, name="remap_monitor_restore") result(status)
            import
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(out) :: monitor
            integer(c_int) :: status
        end function
        subroutine remap_monitor_free(monitor) bind(c)
            import
            type(c_ptr), value :: monitor
        end subroutine
        function remap_fit_new(fit) bind(c) result(status)
            import
            type(c_ptr), intent(out) :: fit
            integer(c_int) :: status
        end function
        function remap_fit_step(fit, seconds, mean) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), value :: seconds, mean
            integer(c_int) :: status
        end function
        function remap_fit_remapped(fit, seconds) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), value :: seconds
            integer(c_int) :: status
        end function
        function remap_fit_pack(fit, numbers, count) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), intent(out) :: numbers(*)
            integer(c_size_t), value :: count
            integer(c_int) :: status
        end function
        function remap_fit_merge(fit, numbers, count) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), intent(in) :: numbers(*)
            integer(c_size_t), value :: count
            integer(c_int) :: status
        end function
        function remap_fit_summary(fit, summary) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            type(remap_fit_summary_t), intent(inout) :: summary
            integer(c_int) :: status
        end function
        function remap_fit_controller(fit, remap_cost, controller) bind(c) result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), value :: remap_cost
            type(c_ptr), intent(out) :: controller
            integer(c_int) :: status
        end function
        function c_fit_model(fit, remap_cost, text) bind(c, name="remap_fit_model") result(status)
            import
            type(c_ptr), value :: fit
            real(c_double), value :: remap_cost
            type(c_ptr), intent(out) :: text
            integer(c_int) :: status
        end function
        function c_fit_save(fit, text) bind(c, name="remap_fit_save") result(status)
            import
            type(c_ptr), value :: fit
            type(c_ptr), intent(out) :: text
            integer(c_int) :: status
        end function
        function c_fit_restore(text, fit) bind(c, name="remap_fit_restore") result(status)
            import
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(out) :: fit
            integer(c_int) :: status
        end function
        subroutine remap_fit_free(fit) bind(c)
            import
            type(c_ptr), value :: fit
        end subroutine
    end interface

contains

    ! What was wrong with the last call that failed.
    function remap_error() result(message)
        character(len=:), allocatable :: message
        call copied(c_last_error(), message)
    end function

    subroutine copied(from, text)
        type(c_ptr), intent(in) :: from
        character(len=:), allocatable, intent(out) :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length
        length = int(c_strlen(from))
        call c_f_pointer(from, letters, [length])
        allocate(character(len=length) :: text)
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end subroutine

    subroutine taken(status, from, text)
        integer(c_int), intent(in) :: status
        type(c_ptr), intent(in) :: from
        character(len=:), allocatable, intent(out) :: text
        if (status == remap_ok) then
            call copied(from, text)
            call c_text_free(from)
        else
            text = ""
        end if
    end subroutine

    function remap_controller_new(policy, remap_cost, controller) result(status)
        character(len=*), intent(in) :: policy
        real(c_double), intent(in) :: remap_cost
        type(c_ptr), intent(out) :: controller
        integer(c_int) :: status
        controller = c_null_ptr
        status = c_controller_new(trim(policy)//c_null_char, remap_cost, controller)
    end function

    ! times(rank, step): the ranks of a step are neighbours. Negative steps_left: not known.
    function remap_controller_train(policy, remap_cost, times, steps_left, controller) result(status)
        character(len=*), intent(in) :: policy
        real(c_double), intent(in) :: remap_cost, times(:, :)
        integer(c_int64_t), intent(in) :: steps_left
        type(c_ptr), intent(out) :: controller
        integer(c_int) :: status
        controller = c_null_ptr
        status = c_controller_train(trim(policy)//c_null_char, remap_cost, times, &
            size(times, 1, c_size_t), size(times, 2, c_size_t), steps_left, controller)
    end function

    function remap_controller_restore(text, controller) result(status)
        character(len=*), intent(in) :: text
        type(c_ptr), intent(out) :: controller
        integer(c_int) :: status
        controller = c_null_ptr
        status = c_controller_restore(text//c_null_char, controller)
    end function

    function remap_controller_save(controller, text) result(status)
        type(c_ptr), intent(in) :: controller
        character(len=:), allocatable, intent(out) :: text
        integer(c_int) :: status
        type(c_ptr) :: held
        held = c_null_ptr
        status = c_controller_save(controller, held)
        call taken(status, held, text)
    end function

    function remap_monitor_save(monitor, text) result(status)
        type(c_ptr), intent(in) :: monitor
        character(len=:), allocatable, intent(out) :: text
        integer(c_int) :: status
        type(c_ptr) :: held
        held = c_null_ptr
        status = c_monitor_save(monitor, held)
        call taken(status, held, text)
    end function

    function remap_monitor_restore(text, monitor) result(status)
        character(len=*), intent(in) :: text
        type(c_ptr), intent(out) :: monitor
        integer(c_int) :: status
        monitor = c_null_ptr
        status = c_monitor_restore(text//c_null_char, monitor)
    end function

    ! A model file for remap solve.
    function remap_fit_model(fit, remap_cost, text) result(status)
        type(c_ptr), intent(in) :: fit
        real(c_double), intent(in) :: remap_cost
        character(len=:), allocatable, intent(out) :: text
        integer(c_int) :: status
        type(c_ptr) :: held
        held = c_null_ptr
        status = c_fit_model(fit, remap_cost, held)
        call taken(status, held, text)
    end function

    function remap_fit_save(fit, text) result(status)
        type(c_ptr), intent(in) :: fit
        character(len=:), allocatable, intent(out) :: text
        integer(c_int) :: status
        type(c_ptr) :: held
        held = c_null_ptr
        status = c_fit_save(fit, held)
        call taken(status, held, text)
    end function

    function remap_fit_restore(text, fit) result(status)
        character(len=*), intent(in) :: text
        type(c_ptr), intent(out) :: fit
        integer(c_int) :: status
        fit = c_null_ptr
        status = c_fit_restore(text//c_null_char, fit)
    end function
end module remap
