//! The JavaScript that wasm-bindgen writes, made ready for a wasm in several files.

use crate::failure::Failure;

use super::split::LOADER;

/// What an exported function was called, and what it is called.
pub(super) type Renamed = (String, String);

/// By these Yew remembers, on nodes and events, which of them are whose.
const MARKS: [&str; 3] = ["__yew_listener_id", "__yew_subtree_id", "__yew_subtree_cache_key"];

/// Lets the glue load `parts`, call its imports by their numbers and the exports by their short names.
pub(super) fn adapt(
    script: &str,
    half: &str,
    imports: &[String],
    exports: &[Renamed],
    parts: &[&str],
) -> Result<String, Failure> {
    let mut script = keep_to_itself(&rename(script, "wasm.", exports))?;
    for (number, import) in imports.iter().enumerate() {
        replace(&mut script, &format!("\n        {import}: "), &format!("\n        {number}: "))?;
        // A method says the same in fewer bytes.
        script =
            script.replacen(&format!("\n        {number}: function("), &format!("\n        {number}("), 1);
    }
    let module = format!("\"./{half}_bg.js\": import0,");
    let loader = format!("{module}\n        \"{LOADER}\": {{ load: (part) => parts.load(part) }},");
    replace(&mut script, &module, &loader)?;
    let files: String = parts
        .iter()
        .map(|part| format!("\n    [\"{part}\", () => new URL(\"{}\", import.meta.url)],", file(half, part)))
        .collect();
    script.push_str(&format!(
        "\nimport {{ Parts }} from \"../parts.js\";\n\
         export const parts = new Parts([{files}\n], () => wasm, (broken) => (wasm = broken));\n"
    ));
    Ok(script)
}

/// Gives each copy of the package marks that nobody else has.
///
/// Numbers begin anew in each wasm, so a page that is made with Yew, too, would take the element's buttons for its own, and a press
/// on one of them would press one of the page's as well.
fn keep_to_itself(script: &str) -> Result<String, Failure> {
    let mut kept = script.to_owned();
    for (number, mark) in MARKS.iter().enumerate() {
        kept = kept.replace(&format!(".{mark};"), &format!("[marks[{number}]];"));
        kept = kept.replace(&format!(".{mark} = "), &format!("[marks[{number}]] = "));
    }
    if kept.contains("__yew") {
        return Err(Failure::new("Yew marks nodes by a name that is not known"));
    }
    if kept != script {
        kept.push_str("\nconst marks = [Symbol(), Symbol(), Symbol()];\n");
    }
    Ok(kept)
}

/// The declarations with what [`adapt`] adds and renames.
pub(super) fn declare(declarations: &str, exports: &[Renamed]) -> String {
    let declarations = rename(declarations, "readonly ", exports);
    format!(
        "{declarations}\nimport type {{ Parts }} from \"../parts.js\";\n/** What is loaded later. */\nexport const parts: Parts;\n"
    )
}

/// The declarations of what the first module exports.
pub(super) fn declare_wasm(declarations: &str, exports: &[Renamed]) -> String {
    rename(declarations, "export const ", exports)
}

/// Puts the new names behind `before` in place of the old ones.
fn rename(text: &str, before: &str, exports: &[Renamed]) -> String {
    let goes_on = |rest: &str| {
        rest.starts_with(|next: char| next.is_ascii_alphanumeric() || ['_', '$'].contains(&next))
    };
    let mut renamed = String::new();
    let mut pieces = text.split(before);
    renamed.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        renamed.push_str(before);
        let found = exports
            .iter()
            .find_map(|(old, new)| Some((piece.strip_prefix(old).filter(|rest| !goes_on(rest))?, new)));
        match found {
            Some((rest, new)) => renamed.extend([new, rest]),
            None => renamed.push_str(piece),
        }
    }
    renamed
}

/// The file of a part.
pub(crate) fn file(half: &str, part: &str) -> String {
    format!("{half}_{part}.wasm")
}

fn replace(script: &mut String, old: &str, new: &str) -> Result<(), Failure> {
    let mut places = script.matches(old);
    let (Some(_), None) = (places.next(), places.next()) else {
        return Err(Failure::new(format!("wasm-bindgen writes `{}` not once in its JavaScript", old.trim())));
    };
    *script = script.replacen(old, new, 1);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "const import0 = {\n        __wbg_a_1f: function() {},\n        __wbg_b_2e: b,\n    };\n\
                          return {\n        \"./x_bg.js\": import0,\n    };\n";

    #[test]
    fn imports_are_numbered_and_parts_are_named_for_bundlers() {
        let imports = ["__wbg_b_2e".to_owned(), "__wbg_a_1f".to_owned()];
        let script = adapt(SCRIPT, "x", &imports, &[], &["rest"]).unwrap();
        assert!(script.contains("        1() {},\n        0: b,"), "{script}");
        assert!(script.contains("\"parts\": { load: (part) => parts.load(part) },"), "{script}");
        assert!(script.contains("[\"rest\", () => new URL(\"x_rest.wasm\", import.meta.url)],"), "{script}");
    }

    #[test]
    fn exports_are_called_by_their_new_names_alone() {
        let exports = [("mount".to_owned(), "f00".to_owned()), ("mountCard".to_owned(), "f01".to_owned())];
        let script =
            "wasm.mount(a); mount(b); wasm.mountCard(wasm.mount, wasm.memory); wasm.mount_; wasm = x;";
        assert_eq!(
            rename(script, "wasm.", &exports),
            "wasm.f00(a); mount(b); wasm.f01(wasm.f00, wasm.memory); wasm.mount_; wasm = x;"
        );
        assert_eq!(
            declare_wasm("export const mount: () => void;", &exports),
            "export const f00: () => void;"
        );
    }

    #[test]
    fn what_yew_marks_is_no_other_copys() {
        let script = "const ret = arg0.__yew_subtree_id;\narg0.__yew_listener_id = arg1 >>> 0;\n";
        assert_eq!(
            keep_to_itself(script).unwrap(),
            "const ret = arg0[marks[1]];\narg0[marks[0]] = arg1 >>> 0;\n\n\
             const marks = [Symbol(), Symbol(), Symbol()];\n"
        );
        assert_eq!(keep_to_itself("const a = 1;").unwrap(), "const a = 1;");
        assert!(keep_to_itself("arg0.__yew_other = 1;").is_err());
    }

    #[test]
    fn other_javascript_is_refused() {
        let failure = adapt("const a = 1;", "x", &["b".to_owned()], &[], &[]).unwrap_err().to_string();
        assert_eq!(failure, "wasm-bindgen writes `b:` not once in its JavaScript");
    }
}
