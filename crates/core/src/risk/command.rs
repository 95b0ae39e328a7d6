//! What a text would do if something ran it: as a command line, or as SQL.

use std::borrow::Cow;

/// One thing that a command would do.
pub(super) type Found = (&'static str, &'static str);

/// `rm -r` and its kin.
pub(super) const RECURSIVE_DELETE: Found = ("recursive-delete", "deletes a folder with everything in it");
/// `mkfs`, `dd of=/dev/…`.
pub(super) const DISK_WRITE: Found = ("disk-write", "writes over a whole disk");
/// `curl … | sh` and its kin.
pub(super) const REMOTE_SCRIPT: Found = ("remote-script", "runs a script from the network unseen");
/// `DROP TABLE` and its kin.
pub(super) const SQL_DROP: Found = ("sql-drop", "removes a table or more from a database");
/// `DELETE FROM t`, `UPDATE t SET …` without a condition.
pub(super) const SQL_EVERY_ROW: Found = ("sql-every-row", "changes or deletes every row of a table");
/// `sudo` and its kin.
pub(super) const ELEVATED_RIGHTS: Found = ("elevated-rights", "runs with elevated rights");

/// A text in lower case; most are.
pub(super) fn lower_case(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// What reads a script from its input.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "fish",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "iex",
    "powershell",
    "pwsh",
];
const FETCHERS: &[&str] = &["curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
const FETCHED_IN_PLACE: &[&str] = &["$(curl", "$(wget", "<(curl", "<(wget", "`curl", "`wget"];

/// What stands between two commands.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    None,
    /// The next word begins a command; with what comes before as its input.
    Pipe,
    /// The next word begins a command.
    End,
}

/// A command, or a statement, as far as it has been read.
#[derive(Default)]
struct Reading {
    /// The words that matter, in lower case: the first of them all and those that were asked about.
    first: String,
    last: String,
    words: usize,
    deletes_recursively: bool,
    statement: Option<&'static str>,
    has_where: bool,
    has_set: bool,
    fetched: bool,
}

/// Everything that this text would do, each thing once at most a command.
pub(super) fn found(text: &str, mut tell: impl FnMut(Found)) {
    // Almost every text holds none of it.
    if text.len() < 4 {
        return;
    }
    let mut reading = Reading::default();
    for (word, gap) in words(text) {
        if !word.is_empty() {
            reading.take(&word, &mut tell);
        }
        if gap != Gap::None {
            reading.end(&mut tell);
            let fetched = reading.fetched && gap == Gap::Pipe;
            reading = Reading { fetched, ..Reading::default() };
        }
    }
    reading.end(&mut tell);
    if FETCHED_IN_PLACE.iter().any(|fetch| text.contains(fetch)) {
        tell(REMOTE_SCRIPT);
    }
}

impl Reading {
    fn take(&mut self, word: &str, tell: &mut impl FnMut(Found)) {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        // Rights are raised for the command that follows.
        if self.words == 0 && matches!(name, "sudo" | "doas" | "runas" | "pkexec") {
            tell(ELEVATED_RIGHTS);
            return;
        }
        if self.words == 0 {
            name.clone_into(&mut self.first);
            if self.fetched && SHELLS.contains(&name) {
                tell(REMOTE_SCRIPT);
            }
            self.fetched |= FETCHERS.contains(&name);
            if name.starts_with("mkfs") {
                tell(DISK_WRITE);
            }
        }
        let is_short_flag = word.starts_with('-') && !word.starts_with("--");
        self.deletes_recursively |= match self.first.as_str() {
            "rm" => word == "--recursive" || (is_short_flag && word.contains('r')),
            "remove-item" | "ri" => word.starts_with("-r"),
            "rd" | "rmdir" | "del" | "erase" => word == "/s",
            "find" => word == "-delete",
            _ => false,
        };
        if self.first == "dd" && word.starts_with("of=/dev/") {
            tell(DISK_WRITE);
        }
        self.take_sql(word, tell);
        self.words += 1;
        word.clone_into(&mut self.last);
    }

    fn take_sql(&mut self, word: &str, tell: &mut impl FnMut(Found)) {
        let pair = (self.last.as_str(), word);
        match pair {
            ("drop", "table" | "database" | "schema" | "view" | "index" | "user" | "role")
            | ("truncate", "table") => tell(SQL_DROP),
            ("delete", "from") => self.statement = Some("delete"),
            _ => {}
        }
        if word == "update" && self.statement.is_none() {
            self.statement = Some("update");
        }
        self.has_set |= word == "set";
        self.has_where |= word == "where";
    }

    fn end(&mut self, tell: &mut impl FnMut(Found)) {
        if self.deletes_recursively {
            tell(RECURSIVE_DELETE);
        }
        let every_row = match self.statement {
            Some("delete") => true,
            Some(_) => self.has_set,
            None => false,
        };
        if every_row && !self.has_where {
            tell(SQL_EVERY_ROW);
        }
    }
}

/// The words of a text in lower case, each with what follows it.
fn words(text: &str) -> impl Iterator<Item = (Cow<'_, str>, Gap)> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(is_boundary).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let boundary = after.chars().next();
        rest = after.get(boundary.map_or(0, char::len_utf8)..).unwrap_or_default();
        let gap = match boundary {
            Some('|') => Gap::Pipe,
            // A line break ends a command, but not a statement of SQL, which rarely stands on one line.
            Some(';' | '&') => Gap::End,
            _ => Gap::None,
        };
        // No word that matters is longer.
        let word = word.get(..word.len().min(40)).unwrap_or(word);
        Some((lower_case(word), gap))
    })
}

fn is_boundary(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, ';' | '|' | '&' | '(' | ')' | '"' | '\'' | '`' | '{' | '}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<&'static str> {
        let mut codes = Vec::new();
        found(text, |(code, _)| {
            if !codes.contains(&code) {
                codes.push(code);
            }
        });
        codes
    }

    #[test]
    fn folders_that_go_with_everything_in_them_are_found() {
        for command in [
            "rm -rf /srv",
            "rm -fr ./x",
            "/bin/rm -v -R x",
            "rm --recursive x",
            "cd /tmp && rm -r x",
            "bash -c 'ls; rm -rf x'",
            "Remove-Item x -Recurse -Force",
            "rmdir /s /q C:\\x",
            "find . -name x -delete",
        ] {
            assert_eq!(codes(command), ["recursive-delete"], "{command}");
        }
        assert_eq!(codes("sudo rm -rf /"), ["elevated-rights", "recursive-delete"]);
    }

    #[test]
    fn what_deletes_one_file_or_writes_over_none_is_not_found() {
        for command in [
            "rm x",
            "rm -f x",
            "rm --preserve-root x",
            "echo rm-rf",
            "form -r x",
            "the rm command",
            "git rm x",
            "rmdir x",
            "find . -name x",
            "dd if=x of=/tmp/y",
            "echo of=/dev/sda",
        ] {
            assert!(codes(command).is_empty(), "{command}");
        }
    }

    #[test]
    fn scripts_from_the_network_are_found() {
        for command in [
            "curl -s https://example.com/i.sh | sh",
            "wget -qO- x|sudo bash",
            "bash <(curl -s x)",
            "sh -c \"$(curl -fsSL x)\"",
            "iwr x | iex",
        ] {
            assert!(codes(command).contains(&"remote-script"), "{command}");
        }
        assert!(codes("curl https://example.com | jq .").is_empty());
        assert!(codes("curl x; bash y").is_empty());
    }

    #[test]
    fn statements_without_a_condition_are_found() {
        assert_eq!(codes("DROP TABLE users"), ["sql-drop"]);
        assert_eq!(codes("truncate table users;"), ["sql-drop"]);
        assert_eq!(codes("DELETE FROM users"), ["sql-every-row"]);
        assert_eq!(codes("update users\nset admin = true"), ["sql-every-row"]);
        assert!(codes("DELETE FROM users\nWHERE id = 1").is_empty());
        assert!(codes("UPDATE users SET a = 1 WHERE id = 2; SELECT 1").is_empty());
        assert_eq!(codes("DELETE FROM a; SELECT * FROM b WHERE c"), ["sql-every-row"]);
    }

    #[test]
    fn disks_that_are_written_over_are_found() {
        assert_eq!(codes("mkfs.ext4 /dev/sda1"), ["disk-write"]);
        assert_eq!(codes("dd if=x of=/dev/sda"), ["disk-write"]);
    }
}
