//! What is no log that can be read, or only with an option, is told by its first bytes.

use crate::support::prelude::*;

#[test]
fn files_packed_otherwise_are_named() {
    let place = Workplace::new();
    let packed: [(&[u8], &str); 3] = [
        (b"BZh91AY&SY\x05\x06", "bzip2"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7", "lz4"),
        (b"PK\x03\x04\x14\x00\x00", "zip"),
    ];
    for (bytes, packer) in packed {
        place.write("run.csv.packed", bytes);
        let says = format!("is packed by {packer}; gzip, brotli, zstd and xz are read");
        place.remap("fit run.csv.packed").exits(1).says(&says);
    }
    place.write("run.bin", b"\x01\x02 \x07,\x1b[2J\n1,2\n");
    let said = place.remap("advise run.bin").exits(1).says("line 1: this is not text").err;
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
}

#[test]
fn free_lines_lead_to_the_option_that_reads_them() {
    let place = Workplace::new();
    let mut log = String::from("My code on 2 ranks\n");
    for step in 0..60 {
        log += &format!("STEP {step} push times: [1.0 1.{step:02}]\n");
    }
    place.write("pic.log", log);
    let asked = ["fit", "pic.log", "--remap-cost", "1"];
    place.run(&asked).exits(1).says("--regex");
    let read = r"STEP (?<step>[0-9]+) push times: \[(?<loads>.*)\]";
    place.run(&[&asked[..], &["--regex", read]].concat()).exits(0);
    let mut log = String::new();
    for step in 0..60 {
        log += &format!("iter {step}: max 1.{step:02} min 0.9 avg 1.0 s\n");
    }
    place.write("summary.log", log);
    let asked = ["fit", "summary.log", "--remap-cost", "1"];
    has(&place.run(&asked).exits(1).says("its lines begin with the word `iter`").err, &["(?<max>"]);
    let read = r"iter (?<step>[0-9]+): max (?<max>[0-9.]+).* avg (?<mean>[0-9.]+)";
    place.run(&[&asked[..], &["--regex", read]].concat()).exits(0);
}
