//! Compiles the shim against PETSc and MPI, as `pkg-config` finds them.

#![allow(clippy::print_stderr)]

fn main() {
    println!("cargo:rerun-if-changed=shim.c");
    println!("cargo:rerun-if-env-changed=REMAP_PETSC");
    // Where indices of 32 bits are too short: REMAP_PETSC=PETSc64.
    let petsc = std::env::var("REMAP_PETSC").unwrap_or_else(|_| "PETSc".to_owned());
    let mut shim = cc::Build::new();
    shim.file("shim.c").warnings(true);
    for name in [petsc.as_str(), "ompi-c"] {
        match pkg_config::probe_library(name) {
            Ok(library) => {
                shim.includes(library.include_paths);
            }
            Err(error) => {
                eprintln!("{error}\n{name} is missing: see cluster/README.md for what to install");
                std::process::exit(1);
            }
        }
    }
    shim.compile("remap_shim");
}
