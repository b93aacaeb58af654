//! Opens a log as text: unpacked, and without a byte order mark.

use super::formats::columnar::is_parquet;
use super::formats::{talp, vt};
use crate::complaint::Complaint;
use brotli_decompressor::Decompressor;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Cursor, Read, Write};

/// The bytes from which the format of a file is detected.
pub(super) const PEEK: usize = 1 << 16;

/// The prefix that some programs write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// The first bytes of files by these packers.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];

/// The most bytes of a log that is unpacked in one piece: 128 MiB, less than the memory of small
/// machines.
const MOST_UNPACKED: usize = 1 << 27;

/// The most bytes of UTF-16, which is held three times while it is converted, and of a line.
const MOST_WIDE: u64 = 1 << 25;

/// The most bytes of a line that is parsed as JSON, of which each number takes 32 bytes.
const MOST_OBJECT: u64 = 1 << 22;

/// The most bytes of a document of JSON, of 10^6 tasks of vt: they are parsed in four seconds.
const MOST_DOCUMENT: u64 = 1 << 28;

/// A text whose lines have an end, or whose quoted texts have one: what is packed may have some of
/// any length.
struct Lines {
    input: Box<dyn BufRead>,
    /// The bytes at one of which a piece ends, and its length so far.
    ends: [u8; 2],
    length: u64,
    longest: u64,
    /// The most bytes of all of it, and how many there were.
    most: u64,
    all: u64,
}

impl Read for Lines {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Lines {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.length > self.longest {
            let message = format!("a line or a text of more than {} MiB", self.longest >> 20);
            return Err(std::io::Error::other(message));
        }
        if self.all > self.most {
            let message = format!("more than {} MiB in one document", self.most >> 20);
            return Err(std::io::Error::other(message));
        }
        self.input.fill_buf()
    }

    fn consume(&mut self, many: usize) {
        let taken = self.input.fill_buf().map_or(&[][..], |buffer| &buffer[..many]);
        self.all += many as u64;
        self.length = match memchr::memrchr2(self.ends[0], self.ends[1], taken) {
            Some(end) => (many - end - 1) as u64,
            None => self.length + many as u64,
        };
        self.input.consume(many);
    }
}

/// A log unpacked in one piece.
struct Unpacked(Vec<u8>);

impl Write for Unpacked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_UNPACKED {
            return Err(std::io::Error::other(
                "more than 128 MiB of text in xz: pack it with gzip or zstd",
            ));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The text of a log called `name`, unpacked where gzip, brotli, zstd or xz packed it.
pub(super) fn text(input: impl Read + 'static, name: &str) -> Result<Box<dyn BufRead>, Complaint> {
    let mut input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(PEEK, input));
    let failed = |error: std::io::Error| {
        let help = "give a log, plain or compressed by gzip, brotli, zstd or xz";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    };
    let start = input.fill_buf().map_err(failed)?;
    if let Some(packer) = packer(start) {
        let message = format!("{name} is packed by {packer}; gzip, brotli, zstd and xz are read");
        return Err(Complaint::elsewhere(
            message,
            "unpack it, or give `-` and pipe it in unpacked",
        ));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        input = Box::new(BufReader::with_capacity(PEEK, MultiGzDecoder::new(input)));
    } else if start.starts_with(ZSTD) {
        let frames = ruzstd::decoding::StreamingDecoder::new(input)
            .map_err(|error| failed(std::io::Error::other(error)))?;
        input = Box::new(BufReader::with_capacity(PEEK, frames));
    } else if start.starts_with(XZ) {
        let mut unpacked = Unpacked(Vec::new());
        lzma_rs::xz_decompress(&mut input, &mut unpacked)
            .map_err(|error| failed(std::io::Error::other(format!("{error:?}"))))?;
        input = Box::new(Cursor::new(unpacked.0));
    } else if !is_parquet(start) && (name.ends_with(".br") || is_brotli(start)) {
        input = Box::new(BufReader::with_capacity(PEEK, Decompressor::new(input, PEEK)));
    }
    let first = input.fill_buf().map_err(failed)?;
    let is_little = first.starts_with(&[0xff, 0xfe]);
    if is_little || first.starts_with(&[0xfe, 0xff]) {
        let mut bytes = Vec::new();
        input.take(MOST_WIDE + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_WIDE {
            let wide = "more than 32 MiB of text in UTF-16: save it as UTF-8";
            return Err(failed(std::io::Error::other(wide)));
        }
        let unit = |pair: &[u8; 2]| {
            if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) }
        };
        let units: Vec<u16> = bytes[2..].as_chunks().0.iter().map(unit).collect();
        return Ok(Box::new(Cursor::new(String::from_utf16_lossy(&units).into_bytes())));
    }
    if first.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    let start = input.fill_buf().map_err(failed)?;
    if is_parquet(start) {
        return Ok(input);
    }
    // Documents may be one line.
    let text = String::from_utf8_lossy(start);
    let (ends, longest, most) = match start.trim_ascii_start().starts_with(b"{") {
        true if vt::is_data(&text) || talp::is_log(&text) => {
            ([b'\n', b'"'], MOST_WIDE, MOST_DOCUMENT)
        }
        true => ([b'\n'; 2], MOST_OBJECT, u64::MAX),
        false => ([b'\n'; 2], MOST_WIDE, u64::MAX),
    };
    Ok(Box::new(Lines { input, ends, length: 0, longest, most, all: 0 }))
}

/// The packer of a file that cannot be unpacked here, from its first bytes.
fn packer(start: &[u8]) -> Option<&'static str> {
    let marks: [(&[u8], &str); 3] = [
        (&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "bzip2"),
        (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
        (b"PK\x03\x04", "zip"),
    ];
    // In bzip2 the mark follows the size of its blocks.
    let start = if start.starts_with(b"BZh") { start.get(4..).unwrap_or_default() } else { start };
    marks.into_iter().find(|(mark, _)| start.starts_with(mark)).map(|(_, packer)| packer)
}

/// Files by brotli have no mark. They are recognized as bytes that are not text, and that begin
/// like JSON when unpacked.
fn is_brotli(start: &[u8]) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => !text.contains('\0'),
        // The end may split a character.
        Err(error) => error.error_len().is_none(),
    };
    let mut first = [0];
    !text && Decompressor::new(start, PEEK).read_exact(&mut first).is_ok() && first == *b"{"
}
