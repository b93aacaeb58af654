//! The memory of the machine, and of the control group that the program is in.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Bytes of memory: all, and those that can be used without swapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    all: u64,
    free: u64,
}

/// The files in which a version of control groups reports memory.
struct Version {
    /// Removes the prefix of the own group's path in the list of groups.
    list: fn(&str) -> Option<&str>,
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    files: &'static str,
}

const VERSIONS: [Version; 2] = [
    Version {
        list: |line| line.strip_prefix("0::/"),
        root: "/sys/fs/cgroup",
        limit: "memory.max",
        used: "memory.current",
        files: "inactive_file ",
    },
    Version {
        // `4:memory:/user/job`, or with several controllers `4:cpu,memory:/user/job`.
        list: |line| {
            let (controllers, group) = line.split_once(':')?.1.split_once(":/")?;
            controllers.split(',').any(|controller| controller == "memory").then_some(group)
        },
        root: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        files: "total_inactive_file ",
    },
];

impl Version {
    /// The folders of the own group and of all its ancestors, from the text of `/proc/self/cgroup`.
    fn folders(&self, groups: &str) -> Vec<PathBuf> {
        let own = groups.lines().find_map(self.list).unwrap_or_default();
        Path::new(own).ancestors().map(|group| Path::new(self.root).join(group)).collect()
    }
}

/// If less than this share of memory is free, and a program uses more than that, it is about to be
/// killed.
const LEAST_SHARE: u64 = 32;
/// This many free bytes are enough on any machine.
const ENOUGH: u64 = 1 << 30;

/// The bytes of memory that can be used without swapping, where the system reports them.
pub fn available() -> Option<u64> {
    Some(room()?.free)
}

/// Whether memory is running out, mostly because of this program.
pub fn is_short() -> bool {
    room().zip(resident()).is_some_and(|(room, resident)| room.is_short(resident))
}

impl Room {
    /// For a program that uses `resident` bytes.
    fn is_short(self, resident: u64) -> bool {
        self.free < (self.all / LEAST_SHARE).min(ENOUGH) && resident > self.free
    }

    /// For a machine, from the text of `/proc/meminfo`.
    fn of_machine(facts: &str) -> Option<Room> {
        Some(Room { all: kilobytes(facts, "MemTotal:")?, free: kilobytes(facts, "MemAvailable:")? })
    }

    /// For an address space, from the texts of `/proc/self/limits` and `/proc/self/status`. Threads
    /// and tables reserve more of it than they use.
    fn of_limit(limits: &str, facts: &str) -> Option<Room> {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let all: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(Room { all, free: all.saturating_sub(kilobytes(facts, "VmSize:")?) })
    }

    /// For a control group with a limit, from its folder. File caches count as free: the system
    /// drops them when needed.
    fn of_group(folder: &Path, version: &Version) -> Option<Room> {
        let read = |name: &str| read_to_string(folder.join(name)).ok();
        // Without a limit there is no number, or in version 1 one larger than any memory.
        let all: u64 = read(version.limit)?.trim().parse().ok()?;
        let used: u64 = read(version.used)?.trim().parse().ok()?;
        let files = read("memory.stat").and_then(|facts| {
            facts.lines().find_map(|line| line.strip_prefix(version.files)?.trim().parse().ok())
        });
        let used = used.saturating_sub(files.unwrap_or(0));
        Some(Room { all, free: all.saturating_sub(used) })
    }
}

/// The least of the machine, of all control groups around this program, and of its own limit.
fn room() -> Option<Room> {
    let machine = Room::of_machine(&read_to_string("/proc/meminfo").ok()?)?;
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limited = VERSIONS.iter().flat_map(|version| {
        let around = version.folders(&groups).into_iter();
        around.filter_map(move |folder| Room::of_group(&folder, version))
    });
    // `ulimit -v` limits the address space.
    let limits = read_to_string("/proc/self/limits").unwrap_or_default();
    let own = Room::of_limit(&limits, &read_to_string("/proc/self/status").unwrap_or_default());
    limited.chain(own).chain([machine]).min_by_key(|room| room.free)
}

/// The bytes that this program has in memory.
fn resident() -> Option<u64> {
    kilobytes(&read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The number in a line of such a file, in bytes.
fn kilobytes(facts: &str, name: &str) -> Option<u64> {
    let line = facts.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A number of bytes for people: `3.2 GB`.
pub fn show(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_most_of_the_memory_hears_that_little_is_left() {
        let facts = "MemTotal:       24684024 kB\nMemFree:  1 kB\nMemAvailable:     500000 kB\n";
        let room = Room::of_machine(facts).unwrap();
        assert_eq!(room, Room { all: 24_684_024 << 10, free: 500_000 << 10 });
        assert!(room.is_short(8 << 30));
        // Another program uses the memory.
        assert!(!room.is_short(100 << 20));
        assert!(!Room { free: 2 << 30, ..room }.is_short(8 << 30));
        assert!(!Room { all: 1 << 40, free: 2 << 30 }.is_short(1 << 39));
    }

    #[test]
    fn a_control_group_with_a_limit_has_what_it_leaves() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        let of = |version: usize| Room::of_group(folder.path(), &VERSIONS[version]);
        write("memory.max", "max\n");
        write("memory.current", "3000000\n");
        assert_eq!(of(0), None);
        write("memory.max", "4000000\n");
        assert_eq!(of(0), Some(Room { all: 4_000_000, free: 1_000_000 }));
        write("memory.stat", "anon 1\ninactive_file 500000\nactive_file 7\n");
        assert_eq!(of(0), Some(Room { all: 4_000_000, free: 1_500_000 }));
        assert_eq!(Room::of_group(&folder.path().join("none"), &VERSIONS[0]), None);
        assert_eq!(of(1), None);
        write("memory.limit_in_bytes", "8000000\n");
        write("memory.usage_in_bytes", "3000000\n");
        write("memory.stat", "inactive_file 5\ntotal_inactive_file 600000\n");
        assert_eq!(of(1), Some(Room { all: 8_000_000, free: 5_600_000 }));
    }

    #[test]
    fn groups_of_both_versions_are_found_with_all_around_them() {
        let folders = |version: usize, groups: &str| -> Vec<String> {
            let all = VERSIONS[version].folders(groups).into_iter();
            all.map(|folder| folder.display().to_string()).collect()
        };
        let first = "12:pids:/jobs\n4:cpu,memory:/slurm/job_7\n1:name=systemd:/a\n0::/b\n";
        let root = "/sys/fs/cgroup";
        assert_eq!(folders(0, first), [format!("{root}/b"), format!("{root}/")]);
        let expected = ["slurm/job_7", "slurm", ""].map(|group| format!("{root}/memory/{group}"));
        assert_eq!(folders(1, first), expected);
        assert_eq!(folders(1, "0::/b\n"), [format!("{root}/memory/")]);
    }

    #[test]
    fn an_address_space_with_a_limit_has_what_it_leaves() {
        let facts = "VmPeak:\t 900 kB\nVmSize:\t    500 kB\n";
        let limits = |soft: &str| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax address space   {soft}   unlimited   bytes\n"
            )
        };
        let room = Room::of_limit(&limits("1024000"), facts);
        assert_eq!(room, Some(Room { all: 1_024_000, free: 512_000 }));
        assert_eq!(Room::of_limit(&limits("unlimited"), facts), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_says_what_it_has() {
        let (room, resident) = (room().unwrap(), resident().unwrap());
        assert!(room.free <= room.all && 0 < resident && resident < room.all);
        assert!(available().is_some());
    }

    #[test]
    fn bytes_are_shown_in_decimal_units() {
        assert_eq!(show(999), "999 bytes");
        assert_eq!(show(3_250_000_000), "3.2 GB");
    }
}
