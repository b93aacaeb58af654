//! The header that is checked in is the one that the code makes.

use std::path::Path;

#[test]
fn the_header_has_the_version_of_the_package() {
    let version = env!("CARGO_PKG_VERSION");
    let header = include_str!("../include/remap.h");
    assert!(header.contains(&format!("#define REMAP_VERSION \"{version}\"\n")), "{version}");
    for (name, number) in ["MAJOR", "MINOR", "PATCH"].into_iter().zip(version.split('.')) {
        assert!(header.contains(&format!("#define REMAP_VERSION_{name} {number}\n")), "{name}");
    }
}

#[test]
fn the_header_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = Vec::new();
    cbindgen::generate(folder).expect("a header").write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let path = folder.join("include/remap.h");
    if std::env::var_os("REMAP_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header can be written");
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == made,
        "include/remap.h is not up to date: REMAP_UPDATE_HEADER=1 cargo test --release header"
    );
}
