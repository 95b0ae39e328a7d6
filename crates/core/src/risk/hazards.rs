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
//! | `deceptive-characters` | invisible, direction-changing or look-alike characters in a name, path, host or command | high |

use std::borrow::Cow;

use super::command;
use super::{RiskLevel, RiskSource, RiskView};
use crate::lookalike::{is_hidden, odd};
use crate::secret::secrets_in;

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
/// What is shorter under a telling name is no secret.
const SECRET: usize = 3;
/// The code of the reason.
const TOLD: &str = "secret";

/// Looks at the name of a tool.
pub(super) fn of_name(name: &str, risk: &mut RiskView) {
    // Nobody reads so long a name to its end.
    if name.len() > NAME || is_deceptive(name, true) {
        tell_deceptive(risk);
    }
}

/// Looks at a value that stands under a name of secrets, as it is written.
pub(super) fn of_secret(value: &str, risk: &mut RiskView) {
    if value.len() >= SECRET {
        risk.add(RiskLevel::Elevated, RiskSource::Arguments, TOLD, "holds what looks like a secret");
    }
}

/// Whether it was told that the arguments hold a secret: no more of them need be looked for.
pub(super) fn is_secret_told(risk: &RiskView) -> bool {
    risk.reasons.iter().any(|reason| reason.source == RiskSource::Arguments && reason.code == TOLD)
}

/// Looks at one text of the arguments and the key that it belongs to.
pub(super) fn of_text(key: &str, text: &str, risk: &mut RiskView) {
    if !is_secret_told(risk) && has_secret(text) {
        of_secret(text, risk);
    }
    command::found(text, |(code, message)| {
        let level = if code == command::ELEVATED_RIGHTS.0 { RiskLevel::Elevated } else { RiskLevel::High };
        risk.add(level, RiskSource::Arguments, code, message);
    });
    let mut add = |level, code, message| risk.add(level, RiskSource::Arguments, code, message);
    let key = key_name(key);
    let key = &*key;
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
    if (is_named || is_word || is_command) && is_deceptive(text, false) {
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

/// Whether something in a text looks like a secret. Certificates and public keys are masked for their length alone.
fn has_secret(text: &str) -> bool {
    let is_public = |part: &str| {
        let label = part.strip_prefix("-----BEGIN ").and_then(|part| part.split("-----").next());
        label.is_some_and(|label| label.ends_with("CERTIFICATE") || label.ends_with("PUBLIC KEY"))
    };
    secrets_in(text).into_iter().any(|span| text.get(span).is_some_and(|part| !is_public(part)))
}

/// Whether a text has characters that cannot be seen, or that can hardly be meant; `latin`: it should be of Latin letters.
fn is_deceptive(text: &str, latin: bool) -> bool {
    // Not controls, the selectors of variants and spaces: scripts, emoji, names and files of honest people have them.
    let hides = |character: char| {
        is_hidden(character)
            && !character.is_control()
            && !character.is_whitespace()
            && !matches!(character, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
    };
    !text.is_ascii() && (text.contains(hides) || odd(text, latin).is_some_and(|odd| odd.deceptive))
}

#[cfg(test)]
mod tests {
    use super::super::{RiskOptions, assess};
    use super::*;
    use crate::call::ToolCall;
    use countersign_json::Limits;

    fn risk(tool: &str, args: &str) -> RiskView {
        assess(&ToolCall::new(tool, args), &RiskOptions::default(), &Limits::ARGUMENTS)
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
            (r#"{"path":"/etc"}"#, "path-system", RiskLevel::Elevated),
            (r#"{"anything":"~"}"#, "path-root", RiskLevel::High),
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
            (r#"{"anything":"\u0440aypal.com"}"#, "deceptive-characters", RiskLevel::High),
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
            r#"{"separator":"/","path":"/etcetera"}"#,
            "[]",
            "not json",
        ] {
            assert_eq!(codes(args), Vec::<String>::new(), "{args}");
        }
    }

    #[test]
    fn r24_what_the_card_masks_is_told() {
        let told = |args: &str| codes(args) == ["secret"];
        for key in
            ["newPassword2", "cookie", "otp", "cvv", "pin", "jwt", "signing_key", "X-API-Key", "db_password"]
        {
            assert!(told(&["{\"", key, "\":\"a1b\"}"].concat()), "{key}");
        }
        for start in ["sk_live_", "npm_", "ghs_", "hf_", "AIza", "sk-ant-", "glpat-", "AKIA"] {
            assert!(told(&["{\"x\":\"", start, "0123456789abcdEFGH\"}"].concat()), "{start}");
        }
        for args in [
            r#"{"pin":1234}"#,
            r#"{"credentials":{"user":["anna"]}}"#,
            r#"{"x":"postgres://me:pa55@db.example/x"}"#,
            r#"{"x":"curl -H 'Authorization: Bearer abc123def' a"}"#,
            r#"{"x":"-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\nMII="}"#,
        ] {
            assert!(told(args), "{args}");
        }
    }

    #[test]
    fn r24_what_only_speaks_of_secrets_is_not_told() {
        for args in [
            r#"{"next_page_token":"CAUQAA12"}"#,
            r#"{"pageToken":"CAUQAA12","sync_token":"CAUQAA12"}"#,
            r#"{"secret_name":"db","token":"","pin":0,"password":null,"auth":true}"#,
            r#"{"x":"-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----"}"#,
            r#"{"x":"-----BEGIN RSA PUBLIC KEY-----\nMII=\n-----END RSA PUBLIC KEY-----"}"#,
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

    #[test]
    fn r21_what_the_card_tells_of_a_name_that_can_hardly_be_meant_is_high() {
        for tool in [
            "delete_ꓝile",
            "delete_Ꭺll",
            "cⲟpy",
            "deɩete",
            "ɡet_file",
            "v٠x",
            "read\u{E000}file",
            "a⁄b_c",
            "сору",
            "複写_сору",
            "ﬁle_read",
            "ᴅelete",
            "ⓓelete",
            "ａdmin",
            "a\u{301}б",
            "𝐝elete",
            "d𝐞lete",
            "delet𝐞",
            "gסogle",
            "get‐file",
            "get–file",
            "file_৪",
            "search２",
            "ΑВС",
            "Ⴝave",
            "read\u{FDD0}file",
        ] {
            assert_eq!(risk(tool, "{}").level, RiskLevel::High, "{tool}");
        }
        for args in [
            r#"{"path":"/srv/pɑsswd"}"#,
            r#"{"url":"https://ꓒaypal.com"}"#,
            r#"{"path":"/etc∕passwd"}"#,
            r#"{"host":"сору.com"}"#,
            r#"{"file":"v٣"}"#,
            r#"{"file":"٤v"}"#,
            r#"{"command":"terraform destroy ‐‐dry‐run"}"#,
            r#"{"path":"/tmp/a\ue000b"}"#,
        ] {
            assert_eq!(codes(args), ["deceptive-characters"], "{args}");
        }
    }

    #[test]
    fn r21_a_single_word_deceives_under_the_name_of_what_is_run_or_reached() {
        for key in ["command", "cmd", "host", "hostname", "domain", "url", "script", "file", "target"] {
            let args = ["{\"", key, "\":\"аdmin\"}"].concat();
            assert_eq!(codes(&args), ["deceptive-characters"], "{args}");
        }
        assert_eq!(codes(r#"{"title":"аdmin"}"#), Vec::<String>::new());
    }

    #[test]
    fn r21_each_sign_that_looks_like_one_of_ascii_deceives_in_the_name_of_a_tool() {
        for sign in "‐‑‒˗﹣–—―−⁄∕⧸\u{37E}꞉∶․‥ꓸ∗⁎٭－／：；．＊".chars()
        {
            let name = format!("get{sign}file");
            assert_eq!(risk(&name, "{}").level, RiskLevel::High, "{name}");
        }
    }

    #[test]
    fn r21_names_that_people_give_are_low() {
        for name in [
            "café",
            "сервер",
            "отчёт_с_мая",
            "о_файле",
            "日本語",
            "読取_file",
            "検索２",
            "検索：一覧",
            "JSON形式",
            "ملف",
            "تقرير_٢٠٢٤",
            "ملفPDF",
            "הPDFים",
            "גיבוי_לGitHub",
            "κόσμος",
            "α-helix",
            "größe",
            "kayıt_adı",
            "Azərbaycan",
            "रिपोर्ट_२०२४",
            "send_🙂",
            "❤️_list",
            "🅰️",
            "保存™",
            "№5",
            "第Ⅳ章",
            "ＡＢＣ商事",
            "資料２_v2",
            "20℃",
            "한국어_파일",
            "ქართული",
            "Հայերեն",
            "ไฟล์_๒",
            "e\u{301}te\u{301}",
        ] {
            assert_eq!(risk(name, "{}").level, RiskLevel::Low, "{name}");
            for ending in [".pdf", "-v2.txt", "/x"] {
                let args = ["{\"path\":\"/srv/", name, ending, "\"}"].concat();
                assert_eq!(codes(&args), Vec::<String>::new(), "{args}");
            }
        }
        for name in [
            "Bericht – Entwurf.pdf",
            "Bericht–Entwurf.pdf",
            "real‑time.md",
            "ﬁle — draft.pdf",
            "Mon–Fri",
            "Produkt™.txt",
            "Rock ’n’ roll…",
            "Отчет №5.pdf",
            "議事録：2024_v2.pdf",
            "FFⅦ.iso",
            "Отчёт–PDF",
            "«Отчёт»:PDF",
            "Отчёт…PDF",
            "файл, PDF",
            "a\u{3000}b",
        ] {
            let args = ["{\"path\":\"/srv/", name, "\"}"].concat();
            assert_eq!(codes(&args), Vec::<String>::new(), "{args}");
        }
        assert_eq!(codes(r#"{"command":"git commit -m 'о файле'; echo\r\n \u041f"}"#), Vec::<String>::new());
    }

    #[test]
    fn r21_a_name_that_nobody_reads_to_its_end_deceives() {
        assert_eq!(risk(&"a".repeat(NAME), "{}").level, RiskLevel::Low);
        assert_eq!(risk(&"é".repeat(1_000_000), "{}").level, RiskLevel::High);
    }
}
