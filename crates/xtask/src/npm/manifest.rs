//! `package.json`: its version, and the files it names.

use serde_json::Value;

use crate::failure::{Attempt, Failure};

/// Sets the version and leaves every other byte alone: the order of the members means something in `exports`.
pub(super) fn with_version(text: &str, version: &str) -> Result<String, Failure> {
    let before = read(text)?;
    let Some(old) = before.get("version").and_then(Value::as_str) else {
        return Err(Failure::new("package.json has no `version`"));
    };
    let written = text.split_inclusive('\n').map(|line| {
        let member = line.trim_start().starts_with("\"version\":");
        if member {
            line.replacen(&format!("\"{old}\""), &format!("\"{version}\""), 1)
        } else {
            line.to_owned()
        }
    });
    let written: String = written.collect();
    if read(&written)?.get("version").and_then(Value::as_str) == Some(version) {
        Ok(written)
    } else {
        Err(Failure::new("`version` in package.json has to stand on a line of its own"))
    }
}

/// Every file that `exports`, `types` and the like name, without the leading `./`. Patterns with `*` are left out.
pub(super) fn files(text: &str) -> Result<Vec<String>, Failure> {
    let manifest = read(text)?;
    let mut found = Vec::new();
    for member in ["exports", "main", "module", "types", "customElements"] {
        collect(manifest.get(member).unwrap_or(&Value::Null), &mut found);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// What is published: `package.json` itself, and the files and folders of `files`.
pub(crate) fn published(text: &str) -> Result<Vec<String>, Failure> {
    let mut found = vec!["package.json".to_owned()];
    collect(read(text)?.get("files").unwrap_or(&Value::Null), &mut found);
    Ok(found)
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(path) if !path.contains('*') => {
            found.push(path.strip_prefix("./").unwrap_or(path).to_owned());
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(members) => members.values().for_each(|member| collect(member, found)),
        _ => {}
    }
}

/// The file behind one entry, by its condition `default`: `./define` is `dist/define.js`.
pub(crate) fn entry(text: &str, name: &str) -> Result<String, Failure> {
    let manifest = read(text)?;
    let target = manifest.get("exports").and_then(|exports| exports.get(name));
    target
        .and_then(|target| target.as_str().or_else(|| target.get("default")?.as_str()))
        .map(|path| path.strip_prefix("./").unwrap_or(path).to_owned())
        .ok_or_else(|| Failure::new(format!("package.json exports no `{name}` with a `default`")))
}

fn read(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).attempting(|| "read package.json".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{
  "name": "countersign",
  "version": "0.0.0",
  "customElements": "./custom-elements.json",
  "exports": {
    ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" },
    "./define": { "types": "./dist/define.d.ts", "default": "./dist/define.js" },
    "./countersign.wasm": "./dist/wasm/countersign_bg.wasm",
    "./connect/*": "./dist/connect/*.js"
  }
}
"#;

    #[test]
    fn only_the_version_changes() {
        let changed = with_version(MANIFEST, "1.2.3").unwrap();
        assert_eq!(changed, MANIFEST.replace("0.0.0", "1.2.3"));
    }

    #[test]
    fn a_version_that_cannot_be_set_is_told() {
        let check = |text, expected: &str| {
            assert_eq!(with_version(text, "1.2.3").unwrap_err().to_string(), expected);
        };
        check("{}", "package.json has no `version`");
        check(r#"{ "version": "0" }"#, "`version` in package.json has to stand on a line of its own");
    }

    #[test]
    fn named_files_are_found_once_each() {
        let expected = [
            "custom-elements.json",
            "dist/define.d.ts",
            "dist/define.js",
            "dist/index.d.ts",
            "dist/index.js",
            "dist/wasm/countersign_bg.wasm",
        ];
        assert_eq!(files(MANIFEST).unwrap(), expected);
    }

    #[test]
    fn what_is_published_is_named() {
        let manifest = r#"{ "files": ["dist", "README.md"] }"#;
        assert_eq!(published(manifest).unwrap(), ["package.json", "dist", "README.md"]);
    }

    #[test]
    fn entries_are_found_by_condition_or_directly() {
        assert_eq!(entry(MANIFEST, "./define").unwrap(), "dist/define.js");
        assert_eq!(entry(MANIFEST, "./countersign.wasm").unwrap(), "dist/wasm/countersign_bg.wasm");
        let failure = entry(MANIFEST, "./headless").unwrap_err().to_string();
        assert_eq!(failure, "package.json exports no `./headless` with a `default`");
    }
}
