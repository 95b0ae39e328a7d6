//! From what a transport delivers to JSON texts: server-sent events are taken out of their frame.

use std::borrow::Cow;

/// One JSON text, and the name of the server-sent event that carried it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame<'t> {
    /// The event's name, where it had one.
    pub(crate) event: Option<&'t str>,
    /// The text, or the event's data.
    pub(crate) text: Cow<'t, str>,
}

/// The JSON texts in what a transport delivered: the text itself, or the data of each server-sent event in it.
pub(crate) fn frames(text: &str) -> Vec<Frame<'_>> {
    let start = text.trim_start();
    // A stream may begin with a byte order mark; JSON may not.
    let start = start.strip_prefix('\u{feff}').unwrap_or(start);
    let framed = ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| start.starts_with(field));
    if !framed {
        return vec![Frame { event: None, text: Cow::Borrowed(text) }];
    }
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut data: Option<Cow<'_, str>> = None;
    let mut event = None;
    // An empty line ends an event; the last one may lack it.
    for line in start.lines().chain([""]) {
        if line.is_empty() {
            let event = std::mem::take(&mut event).filter(|name: &&str| !name.is_empty());
            frames.extend(data.take().map(|text| Frame { event, text }));
        } else if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut data {
                None => data = Some(Cow::Borrowed(value)),
                Some(before) => {
                    let before = before.to_mut();
                    before.push('\n');
                    before.push_str(value);
                }
            }
        } else if let Some(name) = line.strip_prefix("event:") {
            event = Some(name.strip_prefix(' ').unwrap_or(name));
        }
    }
    frames.retain(|frame| !frame.text.trim().is_empty());
    frames
}

#[cfg(test)]
mod tests {
    use super::frames;

    fn texts(text: &str) -> Vec<String> {
        frames(text).into_iter().map(|frame| frame.text.into_owned()).collect()
    }

    #[test]
    fn plain_json_stays_as_it_is() {
        assert_eq!(texts("{\"a\":1}"), ["{\"a\":1}"]);
    }

    #[test]
    fn one_byte_order_mark_before_the_first_field_says_nothing() {
        assert_eq!(texts("\u{feff}data: 1\n\ndata: 2\n\n"), ["1", "2"]);
        for text in ["\u{feff}{}", "\u{feff}\u{feff}data: 1\n\n"] {
            assert_eq!(texts(text), [text]);
        }
    }

    #[test]
    fn each_event_is_one_text_and_its_data_lines_are_joined() {
        let stream = ": ping\n\nevent: x\ndata: {\"a\":\ndata: 1}\n\ndata:{\"b\":2}\n\n";
        assert_eq!(texts(stream), ["{\"a\":\n1}", "{\"b\":2}"]);
    }

    #[test]
    fn the_name_of_an_event_goes_with_its_own_data_alone() {
        let stream = "event: values|tools:x\r\ndata: 1\r\n\r\ndata: 2\n\nid: 7\ndata:3\nevent:end\n\nevent: ping\n\ndata: 4";
        let frames = frames(stream);
        let names: Vec<_> = frames.iter().map(|frame| (frame.event, frame.text.as_ref())).collect();
        assert_eq!(names, [(Some("values|tools:x"), "1"), (None, "2"), (Some("end"), "3"), (None, "4")]);
        assert_eq!(super::frames("{}"), [super::Frame { event: None, text: "{}".into() }]);
    }

    #[test]
    fn an_event_without_its_empty_line_is_not_lost() {
        assert_eq!(texts("data: 1\r\ndata: 2"), ["1\n2"]);
    }

    #[test]
    fn a_comment_alone_is_nothing() {
        assert!(texts(": keep-alive\n\n").is_empty());
    }
}
