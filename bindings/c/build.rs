//! Gives the shared library the name by which programs ask for it: of a version 0.x that of x, too, may change what it is.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let (major, minor) = (of("CARGO_PKG_VERSION_MAJOR"), of("CARGO_PKG_VERSION_MINOR"));
    let version = if major == "0" { format!("0.{minor}") } else { major };
    match of("CARGO_CFG_TARGET_OS").as_str() {
        "macos" => println!(
            "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libremap.{version}.dylib"
        ),
        "linux" | "freebsd" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libremap.so.{version}")
        }
        _ => {}
    }
}
