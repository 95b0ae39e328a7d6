//! Server-sent events.

use super::answer::is_whole;

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerEvent {
    /// Its name, where it has one.
    pub(crate) name: Option<String>,
    /// Its data.
    pub(crate) data: String,
}

/// More than any inbox takes, in bytes: an event that never ends must not fill the memory.
const LONGEST: usize = 1 << 28;

/// Cuts a stream of server-sent events into its events. Lines end with LF, CR or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    rest: String,
    /// The last character was a CR: an LF behind it ends no other line.
    after_cr: bool,
}

impl Events {
    /// Takes the next piece of the stream and returns the events that are complete.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<ServerEvent> {
        // What was looked through before has no end of an event, but may have half of one.
        let mut from = self.rest.len() - usize::from(self.rest.ends_with('\n'));
        for character in piece.chars() {
            match character {
                '\n' if self.after_cr => {}
                '\r' => self.rest.push('\n'),
                other => self.rest.push(other),
            }
            self.after_cr = character == '\r';
        }
        let mut events = Vec::new();
        let mut done = 0;
        while let Some(length) = self.rest.get(from..).and_then(|rest| rest.find("\n\n")) {
            let end = from + length;
            events.extend(self.rest.get(done..end).and_then(read));
            done = end + 2;
            from = done;
        }
        self.rest.drain(..done);
        events
    }

    /// Whether the event that has begun is longer than any inbox takes.
    pub(crate) fn is_too_long(&self) -> bool {
        self.rest.len() > LONGEST
    }

    /// An event that the end of the stream left without its empty line; what it cut short is none.
    #[must_use]
    pub(crate) fn finish(&self) -> Option<ServerEvent> {
        read(&self.rest).filter(|event| is_whole(&event.data))
    }
}

/// An event without data is none.
fn read(event: &str) -> Option<ServerEvent> {
    let field = |name: &'static str| {
        let values = event.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(':'));
        values.map(|value| value.strip_prefix(' ').unwrap_or(value))
    };
    let data: Vec<&str> = field("data").collect();
    let name = field("event").next_back().map(str::to_owned);
    (!data.is_empty()).then(|| ServerEvent { name, data: data.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_cut_wherever_the_pieces_end() {
        let stream = ": ping\r\n\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata: one\ndata: two\n\ndata:[1]";
        for (size, stream) in [1, 2, 7, 100].into_iter().flat_map(|size| {
            [(size, stream.to_owned()), (size, stream.replace("\r\n", "\n").replace('\n', "\r"))]
        }) {
            let mut events = Events::default();
            let mut found = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                found.extend(events.push(std::str::from_utf8(piece).unwrap()));
            }
            found.extend(events.finish());
            let found: Vec<_> = found.iter().map(|it| (it.name.as_deref(), it.data.as_str())).collect();
            assert_eq!(found, [(None, "{\"a\":1}"), (Some("x"), "one\ntwo"), (None, "[1]")]);
        }
        let mut events = Events::default();
        assert!(events.push("data: {\"error\": {\"mess").is_empty());
        assert_eq!(events.finish(), None, "it was cut short");
    }
}
