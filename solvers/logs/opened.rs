//! A log as text: unpacked, and from its first letter on.

use super::formats::columnar::is_parquet;
use crate::complaint::Complaint;
use brotli_decompressor::Decompressor;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read};

/// Bytes looked at to tell the form of a file.
pub(super) const PEEK: usize = 1 << 16;

/// What some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// The text of a log called `name`, unpacked where gzip or brotli packed it.
pub(super) fn text(input: impl Read + 'static, name: &str) -> Result<Box<dyn BufRead>, Complaint> {
    let mut input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(PEEK, input));
    let failed = |error: std::io::Error| {
        let help = "give a log, plain or compressed by gzip or brotli";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    };
    let start = input.fill_buf().map_err(failed)?;
    if let Some(packer) = packer(start) {
        let message = format!("{name} is packed by {packer}; gzip and brotli are read");
        return Err(Complaint::elsewhere(
            message,
            "unpack it, or give `-` and pipe it in unpacked",
        ));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        input = Box::new(BufReader::with_capacity(PEEK, MultiGzDecoder::new(input)));
    } else if !is_parquet(start) && (name.ends_with(".br") || is_brotli(start)) {
        input = Box::new(BufReader::with_capacity(PEEK, Decompressor::new(input, PEEK)));
    }
    let first = input.fill_buf().map_err(failed)?;
    if first.starts_with(&[0xff, 0xfe]) || first.starts_with(&[0xfe, 0xff]) {
        let message = format!("{name} is UTF-16 text");
        return Err(Complaint::elsewhere(message, "save it as UTF-8, or plain ASCII"));
    }
    if first.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    Ok(input)
}

/// What packed a file that is not unpacked here, by the bytes that such files begin with.
fn packer(start: &[u8]) -> Option<&'static str> {
    let marks: [(&[u8], &str); 5] = [
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"),
        (&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "bzip2"),
        (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
        (b"PK\x03\x04", "zip"),
    ];
    // Which bzip2 says after the size of its blocks.
    let start = if start.starts_with(b"BZh") { start.get(4..).unwrap_or_default() } else { start };
    marks.into_iter().find(|(mark, _)| start.starts_with(mark)).map(|(_, packer)| packer)
}

/// Nothing marks what brotli packed: bytes that are no text, and unpacked begin as JSON does.
fn is_brotli(start: &[u8]) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => !text.contains('\0'),
        // The end may cut a letter.
        Err(error) => error.error_len().is_none(),
    };
    let mut first = [0];
    !text && Decompressor::new(start, PEEK).read_exact(&mut first).is_ok() && first == *b"{"
}
