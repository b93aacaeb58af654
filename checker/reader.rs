//! The bytes of a certificate.

use crate::Refusal;

/// Reads numbers one after another.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// A nonnegative number: seven bits a byte, the lowest first; the high bit says that more follow.
    pub fn number(&mut self) -> Result<u128, Refusal> {
        let mut value = 0u128;
        for place in 0..19 {
            let (byte, rest) = self.rest.split_first().ok_or(Refusal::Truncated)?;
            self.rest = rest;
            let bits = u128::from(byte & 0x7f);
            if place == 18 && bits > 3 {
                return Err(Refusal::Malformed);
            }
            value |= bits << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Refusal::Malformed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u128) -> Result<u128, Refusal> {
        let value = self.number()?;
        if value < limit { Ok(value) } else { Err(Refusal::Malformed) }
    }

    /// A number of either sign: 0, -1, 1, -2, 2, ... as 0, 1, 2, 3, 4, ...
    pub fn signed(&mut self) -> Result<i128, Refusal> {
        let value = self.number()?;
        Ok((value >> 1) as i128 ^ -((value & 1) as i128))
    }

    /// Refuses what follows the last number.
    pub fn end(&self) -> Result<(), Refusal> {
        if self.rest.is_empty() { Ok(()) } else { Err(Refusal::Malformed) }
    }
}
