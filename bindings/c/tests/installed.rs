//! What `install.sh` installs is found by pkg-config and by CMake, from C, C++ and Fortran.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a tool is there; said aloud if not.
fn has(tool: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success());
    if !found {
        eprintln!("{tool} is missing: what needs it is not tested");
    }
    found
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{text}{said}", done.status);
    text
}

/// A folder with the library that this test was built with, installed below `prefix`.
fn installed() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (prefix, test) =
        (folder.path().join("prefix"), std::env::current_exe().expect("this test"));
    let mut install = Command::new("bash");
    install.arg(here().join("install.sh")).arg("--prefix").arg(&prefix);
    output(install.arg("--built").arg(test.parent().expect("its folder")));
    (folder, prefix)
}

/// What an example says if it works.
fn works(name: &str, said: &str) {
    let words = match name {
        "monitor" | "monitor_static" => "cycle 2",
        "controller" => "5 times, but this policy is for 4 ranks",
        _ => "10 remaps in 100 steps",
    };
    assert!(said.contains(words), "{name}: {said}");
}

#[test]
fn pkg_config_finds_what_was_installed() {
    if !(has("pkg-config") && has("cc")) {
        return;
    }
    let (folder, prefix) = installed();
    let asked = |what: &[&str]| {
        let mut ask = Command::new("pkg-config");
        ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(what).arg("remap");
        output(&mut ask).split_whitespace().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(asked(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    let fortran = asked(&["--variable=fortran"]).remove(0);
    let programs: [(&str, &str, &[&str]); 3] = [
        ("cc", "monitor", &["examples/monitor.c", "-lm"]),
        ("c++", "controller", &["-std=c++11", "examples/controller.cpp"]),
        ("gfortran", "loop", &[&fortran, "examples/loop.f90"]),
    ];
    for (compiler, name, sources) in programs {
        if has(compiler) {
            let program = folder.path().join(name);
            let mut build = Command::new(compiler);
            build.current_dir(here()).arg("-o").arg(&program).args(sources);
            if compiler == "gfortran" {
                build.arg("-J").arg(folder.path());
            }
            output(build.args(asked(&["--cflags", "--libs"])));
            let libraries = prefix.join("lib");
            works(name, &output(Command::new(&program).env("LD_LIBRARY_PATH", libraries)));
        }
    }
}

#[test]
fn the_shared_library_has_its_name() {
    if !(has("readelf") && cfg!(target_os = "linux")) {
        return;
    }
    let (_folder, prefix) = installed();
    let said = output(Command::new("readelf").arg("-d").arg(prefix.join("lib/libremap.so")));
    let mut version = env!("CARGO_PKG_VERSION").split('.');
    let (major, minor) = (version.next().unwrap(), version.next().unwrap());
    let same = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
    assert!(said.contains(&format!("soname: [libremap.so.{same}]")), "{said}");
    assert!(prefix.join(format!("lib/libremap.so.{same}")).exists());
}

#[test]
fn cmake_finds_what_was_installed() {
    if !(has("cmake") && has("cc") && has("c++")) {
        return;
    }
    let (folder, prefix) = installed();
    let build = folder.path().join("build");
    let fortran = has("gfortran");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(here().join("tests/installed")).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    configure.arg(format!("-DEXAMPLES={}", here().join("examples").display()));
    output(configure.arg(format!("-DFORTRAN={}", if fortran { "ON" } else { "OFF" })));
    output(Command::new("cmake").arg("--build").arg(&build));
    for name in
        ["monitor", "monitor_static", "controller"].into_iter().chain(fortran.then_some("loop"))
    {
        works(name, &output(&mut Command::new(build.join(name))));
    }
    // Another minor version of 0.x is another library.
    let mut other = Command::new("cmake");
    let words = "cmake_minimum_required(VERSION 3.16)\nproject(other C)\nfind_package(remapping 0.0 REQUIRED)\n";
    let source = folder.path().join("other");
    std::fs::create_dir(&source).expect("a folder");
    std::fs::write(source.join("CMakeLists.txt"), words).expect("a file");
    other.arg("-S").arg(&source).arg("-B").arg(folder.path().join("other_build"));
    other.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    assert!(!other.output().expect("cmake").status.success());
}
