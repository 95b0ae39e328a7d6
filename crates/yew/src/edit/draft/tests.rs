//! What becomes of a draft, edit by edit.

use super::*;

fn draft(text: &str) -> Draft {
    Draft::of(&Arc::from(text))
}

const ORDER: &str =
    "{\"id\":2512292042121000001, \"n\" : 1.00,\"s\":\"a\\u0062\",\"list\":[1,[2.0],{\"x\":3}],\"z\":null}";

#[test]
fn r07_editing_one_field_leaves_every_other_byte() {
    let mut draft = draft(ORDER);
    draft.take("/n", "2.50", Typing::Number);
    assert_eq!(draft.text(), ORDER.replace("1.00", "2.50"));
    draft.take("/list/2/x", "18446744073709551616", Typing::Number);
    assert_eq!(draft.text(), ORDER.replace("1.00", "2.50").replace("\"x\":3", "\"x\":18446744073709551616"));
    draft.put("/z", "[]");
    draft.remove("/id");
    assert_eq!(
        draft.text(),
        "{\"n\" : 2.50,\"s\":\"a\\u0062\",\"list\":[1,[2.0],{\"x\":18446744073709551616}],\"z\":[]}"
    );
}

#[test]
fn r12_numbers_stay_the_characters_that_were_typed() {
    for lexeme in
        ["2512292042121000001", "18446744073709551616", "1e400", "1.00", "-0", "1e2", "1E+2", "0.1e-7"]
    {
        let mut draft = draft(r#"{"n":7}"#);
        draft.take("/n", lexeme, Typing::Number);
        assert_eq!(draft.text(), [r#"{"n":"#, lexeme, "}"].concat());
    }
}

#[test]
fn what_is_no_number_is_kept_beside_the_text() {
    for (typed, why) in [
        ("", Untaken::Empty),
        (" ", Untaken::Empty),
        ("1.", Untaken::NotANumber),
        (".5", Untaken::NotANumber),
        ("+1", Untaken::NotANumber),
        ("01", Untaken::NotANumber),
        ("1,5", Untaken::NotANumber),
        ("NaN", Untaken::NotANumber),
        ("true", Untaken::NotANumber),
        ("[1]", Untaken::NotANumber),
    ] {
        let mut draft = draft(ORDER);
        draft.take("/n", typed, Typing::Number);
        assert_eq!(draft.text(), ORDER);
        let loose = draft.loose_at("/n").expect("what was typed");
        assert_eq!((loose.typed.as_str(), loose.why), (typed, why));
        assert!(draft.is_changed() && draft.differs("/n") && draft.differs(""));
        draft.take("/n", "1.00", Typing::Number);
        assert!(!draft.is_changed());
    }
}

#[test]
fn words_become_a_string_whatever_they_are() {
    let mut draft = draft(r#"{"s":""}"#);
    draft.take("/s", "line\n\"quoted\" \u{202E} \\ \u{1}", Typing::Words);
    assert_eq!(
        draft.with("/s", |value| value.as_str().map(String::from)).flatten().as_deref(),
        Some("line\n\"quoted\" \u{202E} \\ \u{1}")
    );
}

#[test]
fn what_has_its_old_content_again_has_its_old_characters() {
    let mut draft = draft(ORDER);
    draft.take("/s", "abc", Typing::Words);
    draft.take("/s", "ab", Typing::Words);
    assert_eq!(draft.text(), ORDER);
    draft.remove("/n");
    assert!(!draft.has("/n"));
    draft.reset("/n");
    assert_eq!(draft.text(), ORDER);
    draft.move_up("/list", 1);
    assert_ne!(draft.text(), ORDER);
    draft.move_up("/list", 1);
    assert_eq!(draft.text(), ORDER);
}

#[test]
fn items_are_added_removed_and_moved_with_what_is_remembered_of_them() {
    let mut draft = draft(r#"{"l":[ 1, 2, 3 ]}"#);
    assert!(draft.add("/l/-", "4"));
    assert_eq!(draft.text(), r#"{"l":[ 1, 2, 3, 4 ]}"#);
    draft.take("/l/2", "x", Typing::Number);
    draft.edit_as_json("/l/3", true);
    draft.remove("/l/0");
    assert_eq!(draft.text(), r#"{"l":[ 2, 3, 4 ]}"#);
    assert!(draft.loose_at("/l/1").is_some() && draft.is_json("/l/2"));
    draft.move_up("/l", 1);
    assert_eq!(draft.text(), r#"{"l":[ 3, 2, 4 ]}"#);
    assert!(draft.loose_at("/l/0").is_some());
    draft.move_up("/l", 0);
    draft.remove("/l/0");
    assert_eq!(draft.text(), r#"{"l":[ 2, 4 ]}"#);
    assert!(draft.loose().is_empty() && draft.is_json("/l/1"));
}

#[test]
fn switching_to_json_and_back_loses_nothing() {
    let mut draft = draft(ORDER);
    draft.take("/n", "5", Typing::Number);
    draft.edit_as_json("", true);
    draft.take("", "{\"n\":6,", Typing::Json);
    assert_eq!(draft.text(), ORDER.replace("1.00", "5"));
    assert!(matches!(draft.loose_at("").map(|loose| loose.why), Some(Untaken::NotJson(_))));
    draft.edit_as_json("", false);
    assert_eq!(draft.loose_at("").map(|loose| loose.typed.as_str()), Some("{\"n\":6,"));
    assert_eq!(draft.to_keep(), "{\"n\":6,");
    draft.take("", " {\"n\":6} ", Typing::Json);
    assert_eq!((draft.text(), draft.loose().len()), (" {\"n\":6} ", 0));
    draft.reset("");
    assert!(!draft.is_changed());
}

#[test]
fn a_kept_draft_comes_back_as_it_was_typed() {
    let original: Arc<str> = Arc::from(ORDER);
    let readable = Draft::kept(&original, "{\"n\":6}");
    assert_eq!((readable.text(), readable.is_json("")), ("{\"n\":6}", false));
    let broken = Draft::kept(&original, "{\"n\":");
    assert_eq!((broken.text(), &*broken.to_keep(), broken.is_json("")), (ORDER, "{\"n\":", true));
}

#[test]
fn white_space_around_the_arguments_makes_no_draft_of_others() {
    let mut draft = draft(ORDER);
    draft.take("", &[" ", ORDER, "\n"].concat(), Typing::Json);
    assert!(!draft.is_changed() && !draft.differs(""));
    draft.note = "words".into();
    assert!(draft.is_changed());
}

#[test]
fn formatting_changes_white_space_alone() {
    let mut draft = draft(ORDER);
    draft.format("");
    assert!(draft.text().contains("\n"));
    assert!(alike(draft.text(), ORDER));
    assert!(draft.text().contains("2512292042121000001") && draft.text().contains("a\\u0062"));
}

#[test]
fn a_place_with_a_repeated_key_is_not_changed() {
    let twice = r#"{"a":1,"a":2}"#;
    let mut draft = draft(twice);
    draft.take("/a", "3", Typing::Number);
    draft.remove("/a");
    assert!(!draft.add("/a", "1"));
    assert_eq!(draft.text(), twice);
}

#[test]
fn a_new_item_looks_like_its_neighbour() {
    let like = |text: &str| blank_like(parse(text).unwrap().root());
    assert_eq!(
        like(r#"{"sku":"a","n":1.5,"deep":{"x":1},"l":[1],"b":true,"z":null}"#),
        r#"{"sku":"","n":0,"deep":{},"l":[],"b":false,"z":null}"#
    );
    assert_eq!(like("\"x\""), "\"\"");
}

/// Many edits in a row, as a person might make them in any order: the text can always be read, and what was never
/// touched keeps its characters.
#[test]
fn r07_whatever_is_edited_the_untouched_members_keep_their_bytes() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let kept = r#""keep" : {"id":2512292042121000001,"n":1.00 , "s":"a\u0062"}"#;
    let original = [r#"{"a":[1,{"b":"x"},[3]],"#, kept, r#", "c":null,"d":"t"}"#].concat();
    for _ in 0..300 {
        let mut draft = draft(&original);
        for _ in 0..12 {
            let places = ["/a", "/a/0", "/a/1", "/a/1/b", "/a/2", "/c", "/d", "/e"];
            let place = places[next(places.len())];
            match next(8) {
                0 => draft.take(place, ["7", "1.", "1e2", ""][next(4)], Typing::Number),
                1 => draft.take(place, ["é\n", "", "\"}"][next(3)], Typing::Words),
                2 => draft.take(place, ["{\"q\":[", "[1, 2]", "null"][next(3)], Typing::Json),
                3 => draft.remove(place),
                4 => {
                    draft.add(["/a/-", "/e", "/a/1/n"][next(3)], "[{}]");
                }
                5 => draft.move_up("/a", next(3)),
                6 => draft.reset(place),
                _ => draft.put(place, "false"),
            }
            assert!(draft.text().contains(kept), "{}", draft.text());
            assert!(parse(draft.text()).is_ok());
        }
        draft.reset("");
        assert_eq!((draft.text(), draft.loose().len()), (original.as_str(), 0));
    }
}

#[test]
fn r07_what_a_field_cannot_take_stands_in_the_json_around_it() {
    let mut draft = draft(r#"{"o":{"n":1,"m":"a"},"l":[1]}"#);
    draft.take("/o/n", "1.250,00", Typing::Number);
    draft.edit_as_json("/o", true);
    assert_eq!(draft.loose_at("/o").map(|loose| loose.typed.as_str()), Some(r#"{"n":1.250,00,"m":"a"}"#));
    draft.edit_as_json("", true);
    let whole = r#"{"o":{"n":1.250,00,"m":"a"},"l":[1]}"#;
    assert_eq!(draft.loose_at("").map(|loose| loose.typed.as_str()), Some(whole));
    assert_eq!(draft.loose().len(), 1);
    draft.reset("");
    draft.edit_as_json("", false);
    // As it was typed it would be two items.
    draft.take("/l/0", "1,5", Typing::Number);
    draft.edit_as_json("/l", true);
    assert_eq!((draft.text(), draft.loose().len()), (r#"{"o":{"n":1,"m":"a"},"l":["1,5"]}"#, 0));
}
