//! A text as lines, and as the list items and paragraphs that they make.

use crate::text::{Class, char_class};

const BULLETS: &str = "-*+•·–—‣◦";
/// Most digits before the full stop or bracket of a numbered item.
pub(crate) const NUMBER_DIGITS: usize = 3;

/// A text with the class and place of each of its characters.
pub(crate) struct Chars<'a> {
    text: &'a str,
    pub(crate) letters: Vec<char>,
    pub(crate) classes: Vec<Class>,
    bytes: Vec<usize>,
}

impl<'a> Chars<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let size = text.len();
        let (mut letters, mut classes) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let mut bytes = Vec::with_capacity(size + 1);
        for (at, letter) in text.char_indices() {
            letters.push(letter);
            classes.push(char_class(letter));
            bytes.push(at);
        }
        bytes.push(size);
        Self { text, letters, classes, bytes }
    }

    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[self.bytes[start]..self.bytes[end.max(start)]]
    }

    pub(crate) fn is_in(&self, i: usize, set: &str) -> bool {
        set.contains(self.letters[i])
    }

    pub(crate) fn is_space(&self, i: usize) -> bool {
        self.classes[i] == Class::Space
    }

    pub(crate) fn ends_line(&self, i: usize) -> bool {
        matches!(self.letters[i], '\n' | '\r')
    }

    pub(crate) fn skip_space(&self, mut i: usize, end: usize) -> usize {
        while i < end && self.is_space(i) {
            i += 1;
        }
        i
    }
}

/// Start and end of each line, without its line end.
fn lines(text: &Chars<'_>) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for i in (0..text.len()).filter(|&i| text.ends_line(i)) {
        if !(text.letters[i] == '\n' && i > 0 && text.letters[i - 1] == '\r') {
            out.push((start, i));
        }
        start = i + 1;
    }
    out.push((start, text.len()));
    out
}

/// Where the words of a line begin, behind indentation and markers, and whether a marker makes it an item.
fn marker(text: &Chars<'_>, start: usize, end: usize) -> (usize, bool) {
    let (mut i, mut item) = (text.skip_space(start, end), false);
    while i < end && text.is_in(i, ">#|") {
        item = true;
        i = text.skip_space(i + 1, end);
    }
    if i < end && text.is_in(i, BULLETS) && (i + 1 == end || text.is_space(i + 1)) {
        (i, item) = (text.skip_space(i + 1, end), true);
    } else {
        let digits = text.classes[i..end].iter().take(NUMBER_DIGITS).take_while(|class| class.is_digit()).count();
        let j = i + digits;
        if digits > 0 && j + 1 < end && text.is_in(j, ".)") && text.is_space(j + 1) {
            (i, item) = (text.skip_space(j + 1, end), true);
        }
    }
    if i + 3 <= text.len() && matches!(text.slice(i, i + 3), "[ ]" | "[x]" | "[X]") {
        i = text.skip_space(i + 3, end);
    }
    (i, item)
}

/// An item with its indented lines, or a paragraph; `body` is where its words begin.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) body: usize,
    pub(crate) end: usize,
    pub(crate) item: bool,
}

pub(crate) fn blocks(text: &Chars<'_>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    for (start, end) in lines(text) {
        let (body, item) = marker(text, start, end);
        if body == end {
            if !out.is_empty() {
                out.push(Block { start: end, body: end, end, item: false });
            }
            continue;
        }
        let indented = body > start && text.is_space(start);
        match out.last_mut() {
            Some(last) if !item && last.body < last.end && (indented || !last.item) => last.end = end,
            _ => out.push(Block { start, body, end, item }),
        }
    }
    out.retain(|block| block.body < block.end);
    out
}
