//! Text as it comes from Python.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A `str` argument. Lone surrogates, which no Rust string can hold, are U+FFFD, as the rules see them.
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let string = object.cast::<PyString>()?;
        if let Ok(text) = string.to_str() {
            return Ok(Self(text.to_owned()));
        }
        let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
        Ok(Self(without_surrogates(bytes.cast::<PyBytes>()?.as_bytes())))
    }
}

/// UTF-8 in which lone surrogates were encoded like other code points.
fn without_surrogates(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                out.push_str(valid);
                return out;
            }
            Err(error) => {
                let (valid, invalid) = rest.split_at(error.valid_up_to());
                out.push_str(&String::from_utf8_lossy(valid));
                out.push(char::REPLACEMENT_CHARACTER);
                rest = invalid.get(3..).unwrap_or_default();
            }
        }
    }
}
