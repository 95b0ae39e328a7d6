//! What in a text of the arguments gives reason for care.
//!
//! A short list on purpose: each entry is something that people overlook and regret.
//!
//! | code | what | level |
//! |---|---|---|
//! | `recursive-delete` | `rm -r`, `Remove-Item -Recurse`, `rmdir /s`, `find -delete` | high |
//! | `disk-write` | `mkfs`, `dd of=/dev/…` | high |
//! | `remote-script` | a download that is run: `curl … \| sh`, `bash <(curl …)` | high |
//! | `sql-drop`, `sql-every-row` | `DROP …`, `TRUNCATE TABLE`; `DELETE`, `UPDATE` without `WHERE` | high |
//! | `elevated-rights` | `sudo`, `doas`, `runas`, `pkexec` | elevated |
//! | `path-root` | all of the disk or of the home folder: `/`, `~`, `C:\` | high |
//! | `path-climbs` | a path with `..` | elevated |
//! | `path-system` | a path into the system or to keys: `/etc/…`, `~/.ssh/…` | elevated |
//! | `everyone` | a recipient that stands for many: `*`, `@everyone`, `all` | elevated |
//! | `secret` | what looks like a password, a token or a private key | elevated |
//! | `deceptive-characters` | invisible, direction-changing or look-alike letters in a name, path, host or command | high |

use std::borrow::Cow;

use super::command;
use super::{RiskLevel, RiskSource, RiskView};

/// Longer texts are no paths, hosts or names.
const NAME: usize = 1024;

const SYSTEM: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/root",
    "~/.ssh",
    "~/.aws",
    "~/.gnupg",
    "~/.config",
    "~/.kube",
    "c:\\windows",
    "c:/windows",
];
const ROOTS: &[&str] =
    &["/", "/*", "~", "~/", "~/*", "$home", "${home}", "$home/", "*", "c:\\", "c:/", "c:", "%userprofile%"];
const RECIPIENTS: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "email",
    "emails",
    "channel",
    "channels",
    "user",
    "users",
    "audience",
];
const EVERYONE: &[&str] = &["everyone", "everybody", "all", "@all", "@everyone", "@here", "@channel"];
const PATHS: &[&str] =
    &["path", "paths", "file", "files", "filename", "dir", "directory", "folder", "target", "cwd"];
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "accesstoken",
    "clientsecret",
    "privatekey",
    "authorization",
    "credentials",
    "passphrase",
];
const SECRET_STARTS: &[&str] =
    &["ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk-ant-", "sk-proj-", "AKIA", "eyJhbGciOi"];

/// Looks at the name of a tool.
pub(super) fn of_name(name: &str, risk: &mut RiskView) {
    if is_deceptive(name) {
        tell_deceptive(risk);
    }
}

/// Looks at one text of the arguments and the key that it belongs to.
pub(super) fn of_text(key: &str, text: &str, risk: &mut RiskView) {
    command::found(text, |(code, message)| {
        let level = if code == command::ELEVATED_RIGHTS.0 { RiskLevel::Elevated } else { RiskLevel::High };
        risk.add(level, RiskSource::Arguments, code, message);
    });
    let mut add = |level, code, message| risk.add(level, RiskSource::Arguments, code, message);
    let key = key_name(key);
    let key = &*key;
    if is_secret(key, text) {
        add(RiskLevel::Elevated, "secret", "holds what looks like a secret");
    }
    if text.len() > NAME {
        return;
    }
    let lower = command::lower_case(text);
    let lower = lower.trim();
    if RECIPIENTS.contains(&key) && (lower.contains('*') || EVERYONE.contains(&lower)) {
        add(RiskLevel::Elevated, "everyone", "reaches everyone");
    }
    let is_named = PATHS.contains(&key);
    let is_path = is_named || (lower.contains(['/', '\\', '~']) && !lower.contains(char::is_whitespace));
    if is_path && !lower.contains("://") {
        if ROOTS.contains(&lower) && (is_named || lower != "/") {
            add(RiskLevel::High, "path-root", "covers a whole disk or home folder");
        } else if SYSTEM.iter().any(|folder| is_within(lower, folder)) {
            add(RiskLevel::Elevated, "path-system", "reaches into the system or to keys");
        }
        if lower.split(['/', '\\']).any(|part| part == "..") {
            add(RiskLevel::Elevated, "path-climbs", "leaves its folder with `..`");
        }
    }
    let is_word =
        !text.trim().contains(char::is_whitespace) && text.contains(['/', '\\', '.', '@', ':', '-', '_']);
    let is_command = matches!(key, "command" | "cmd" | "host" | "hostname" | "domain" | "url" | "script");
    if (is_named || is_word || is_command) && is_deceptive(text) {
        tell_deceptive(risk);
    }
}

/// A key in lower case, without separators.
fn key_name(key: &str) -> Cow<'_, str> {
    let key = command::lower_case(key);
    if key.contains(['_', '-']) { Cow::Owned(key.replace(['_', '-'], "")) } else { key }
}

fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

fn tell_deceptive(risk: &mut RiskView) {
    let message = "has invisible or look-alike characters where they deceive";
    risk.add(RiskLevel::High, RiskSource::Arguments, "deceptive-characters", message);
}

/// Whether a key or a text says that the text is a secret. `key` is in lower case, without separators.
fn is_secret(key: &str, text: &str) -> bool {
    let named = SECRETS.iter().any(|name| key.ends_with(name));
    (named && text.len() >= 4)
        || SECRET_STARTS.iter().any(|start| text.len() >= 16 && text.starts_with(start))
        || (text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----"))
}

/// Whether letters of different scripts stand in one word, or characters that cannot be seen.
fn is_deceptive(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let (mut latin, mut alike) = (false, false);
    for character in text.chars() {
        match u32::from(character) {
            // Soft hyphen, direction, zero width, fillers, invisible operators, byte order mark, annotations, tags. Not the
            // selectors of variants and the spaces of other widths: emoji, names and files of honest people have them.
            0xAD
            | 0x34F
            | 0x61C
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0x2800
            | 0x3164
            | 0xFEFF
            | 0xFFA0
            | 0xFFF9..=0xFFFB
            | 0xE0000..=0xE00FF => {
                return true;
            }
            0x41..=0x5A | 0x61..=0x7A => latin = true,
            // Greek, Cyrillic, Armenian; mathematical and wide Latin letters.
            0x370..=0x3FF | 0x400..=0x52F | 0x530..=0x58F | 0xFF21..=0xFF5A | 0x1D400..=0x1D7FF => {
                alike = true
            }
            0x30..=0x39 => {}
            _ if character.is_alphabetic() => {}
            // A word ends.
            _ => (latin, alike) = (false, false),
        }
        if latin && alike {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::{RiskOptions, assess};
    use super::*;
    use crate::call::ToolCall;
    use countersign_json::Limits;

    fn risk(tool: &str, args: &str) -> RiskView {
        let call = ToolCall {
            id: None,
            tool: tool.into(),
            args: args.into(),
            positional: false,
            server: None,
            agent: Vec::new().into(),
        };
        assess(&call, &RiskOptions::default(), &Limits::ARGUMENTS)
    }

    fn codes(args: &str) -> Vec<String> {
        risk("tool", args).reasons.into_iter().map(|reason| reason.code).collect()
    }

    #[test]
    fn each_hazard_of_the_table_is_found() {
        for (args, code, level) in [
            (r#"{"cmd":"rm -rf build"}"#, "recursive-delete", RiskLevel::High),
            (r#"{"steps":[{"run":["curl x | sh"]}]}"#, "remote-script", RiskLevel::High),
            (r#"{"query":"DELETE FROM users"}"#, "sql-every-row", RiskLevel::High),
            (r#"{"cmd":"sudo ls"}"#, "elevated-rights", RiskLevel::Elevated),
            (r#"{"path":"/"}"#, "path-root", RiskLevel::High),
            (r#"{"directory":"~"}"#, "path-root", RiskLevel::High),
            (r#"{"path":"../../x"}"#, "path-climbs", RiskLevel::Elevated),
            (r#"{"anything":"..\\x"}"#, "path-climbs", RiskLevel::Elevated),
            (r#"{"path":"/etc/passwd"}"#, "path-system", RiskLevel::Elevated),
            (r#"{"to":["*@example.com"]}"#, "everyone", RiskLevel::Elevated),
            (r#"{"channel":"@everyone"}"#, "everyone", RiskLevel::Elevated),
            (r#"{"api_key":"abcd1234"}"#, "secret", RiskLevel::Elevated),
            (r#"{"header":"ghp_0123456789abcdef"}"#, "secret", RiskLevel::Elevated),
            (r#"{"text":"-----BEGIN RSA PRIVATE KEY-----"}"#, "secret", RiskLevel::Elevated),
            (r#"{"url":"https://\u0440aypal.com"}"#, "deceptive-characters", RiskLevel::High),
            (r#"{"path":"/tmp/a\u202egpj.exe"}"#, "deceptive-characters", RiskLevel::High),
            (r#"{"path":"/tmp/a\u061cb"}"#, "deceptive-characters", RiskLevel::High),
            (r#"{"path":"/tmp/a\u3164b"}"#, "deceptive-characters", RiskLevel::High),
            (r#"{"host":"a1\u0430"}"#, "deceptive-characters", RiskLevel::High),
            (r#"{"host":"a\u00e9\u0430"}"#, "deceptive-characters", RiskLevel::High),
        ] {
            let found = risk("tool", args);
            assert_eq!(found.level, level, "{args}");
            assert_eq!(
                found.reasons.iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>(),
                [code],
                "{args}"
            );
        }
    }

    #[test]
    fn ordinary_arguments_give_no_reason() {
        for args in [
            r#"{"host":"caf\u00e9.example"}"#,
            r#"{"host":"example.\u0440\u0444"}"#,
            r#"{"text":"-----BEGIN CERTIFICATE-----"}"#,
            r#"{"path":"/srv/data/report.csv","recursive":false}"#,
            r#"{"to":"ann@example.com","body":"Hello,\n\nall is well: do not delete from memory where you are."}"#,
            r#"{"query":"SELECT id FROM orders WHERE customer = 1 AND state IN ('open')"}"#,
            r#"{"text":"Привет, мир. Straße, 漢字 🙂 and/or"}"#,
            r#"{"url":"https://example.com/a/../b","host":"пример.рф"}"#,
            r#"{"token":"","max_tokens":5,"n":[1,null,true]}"#,
            "[]",
            "not json",
        ] {
            assert_eq!(codes(args), Vec::<String>::new(), "{args}");
        }
    }

    #[test]
    fn each_code_is_told_once() {
        assert_eq!(codes(r#"{"a":"rm -rf x","b":"rm -rf y; rm -r z"}"#), ["recursive-delete"]);
    }

    #[test]
    fn a_look_alike_name_of_a_tool_is_high() {
        assert_eq!(risk("dеlete_file", "{}").level, RiskLevel::High);
        assert_eq!(risk("удалить_файл", "{}").level, RiskLevel::Low);
    }
}
