//! From what a transport delivers to JSON texts: server-sent events are taken out of their frame.

use std::borrow::Cow;

/// The JSON texts in what a transport delivered: the text itself, or the data of each server-sent event in it.
pub(crate) fn texts(text: &str) -> Vec<Cow<'_, str>> {
    let start = text.trim_start();
    let framed = ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| start.starts_with(field));
    if !framed {
        return vec![Cow::Borrowed(text)];
    }
    let mut events: Vec<Cow<'_, str>> = Vec::new();
    let mut data: Option<Cow<'_, str>> = None;
    for line in start.lines() {
        if line.is_empty() {
            events.extend(data.take());
        } else if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            data = Some(match data.take() {
                None => Cow::Borrowed(value),
                Some(before) => Cow::Owned(format!("{before}\n{value}")),
            });
        }
    }
    events.extend(data);
    events.retain(|event| !event.trim().is_empty());
    events
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn plain_json_stays_as_it_is() {
        assert_eq!(texts("{\"a\":1}"), ["{\"a\":1}"]);
    }

    #[test]
    fn each_event_is_one_text_and_its_data_lines_are_joined() {
        let stream = ": ping\n\nevent: x\ndata: {\"a\":\ndata: 1}\n\ndata:{\"b\":2}\n\n";
        assert_eq!(texts(stream), ["{\"a\":\n1}", "{\"b\":2}"]);
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
