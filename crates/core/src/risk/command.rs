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

/// What raises rights for the command that follows.
const RAISING: &[&str] = &["sudo", "doas", "runas", "pkexec"];
/// What runs the command that follows, after options of its own.
const WRAPPERS: &[&str] = &[
    "env", "nohup", "time", "exec", "nice", "ionice", "timeout", "xargs", "command", "builtin", "eval",
    "stdbuf", "setsid", "busybox", "watch",
];
/// What stands before a command in a script, in small letters.
const KEYWORDS: &[&str] = &["!", "if", "then", "elif", "else", "while", "until", "do"];
/// What the next word is the object of, in SQL.
const VERBS: &[&str] = &["drop", "truncate", "delete"];
/// What the next word is a command after, wherever it stands.
const RUNNING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "/c"];

/// At the end of a line, a command goes on after it: in shells, and in cmd.
const GOES_ON: [char; 2] = ['\\', '^'];

/// What stands between two words.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    None,
    /// The next word may begin a command within this one: what a shell is given between quotes, a substitution.
    Inner,
    /// The next word begins a command; a statement of SQL goes on, which rarely stands on one line.
    Line,
    /// The next word begins a command; with what comes before as its input.
    Pipe,
    /// The next word begins a command.
    End,
}

/// What the next word is.
#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    /// The command of a line, or of a part of it.
    #[default]
    First,
    /// Perhaps a command within another.
    Inner,
    Argument,
}

/// Programs of which some options matter, as bits.
mod program {
    pub(super) const RM: u8 = 1;
    pub(super) const REMOVE_ITEM: u8 = 1 << 1;
    pub(super) const RD: u8 = 1 << 2;
    pub(super) const FIND: u8 = 1 << 3;
    pub(super) const DD: u8 = 1 << 4;
    pub(super) const MKFS: u8 = 1 << 5;
    pub(super) const SHELL: u8 = 1 << 6;
}

/// A command as far as it has been read.
#[derive(Default)]
struct Command {
    place: Place,
    /// Its programs so far: one may run another.
    programs: u8,
    /// It began with one of [`WRAPPERS`] or [`RAISING`], whose options may still follow.
    wrapped: bool,
    /// The word before was such an option: the next one is its value, or the command.
    after_option: bool,
    fetched: bool,
}

/// A statement as far as it has been read.
#[derive(Default)]
struct Statement {
    /// The last word, in lower case.
    last: String,
    verb: Option<&'static str>,
    has_where: bool,
    has_set: bool,
}

/// Everything that this text would do, each thing at least once.
pub(super) fn found(text: &str, mut tell: impl FnMut(Found)) {
    // Almost every text holds none of it.
    if text.len() < 4 {
        return;
    }
    // One copy of what follows in the wasm.
    let tell: &mut dyn FnMut(Found) = &mut tell;
    let (mut command, mut statement) = (Command::default(), Statement::default());
    for (word, gap) in words(text) {
        // Most words are arguments of nothing, and say nothing to a database.
        if !(word.is_empty() || command.passes(word) && statement.passes(word)) {
            let name = word.trim_end_matches('\\').rsplit(['/', '\\']).next().unwrap_or(word);
            // A sentence begins with a capital letter.
            let is_keyword = KEYWORDS.contains(&word);
            let word = short(word);
            command.take(&word, &short(name), is_keyword, tell);
            statement.take(&word, tell);
        }
        match gap {
            Gap::None => {}
            Gap::Inner => command.begin_inner(),
            // After `|` and `&&` a command may begin on the next line.
            Gap::Line if command.place == Place::First => {}
            Gap::Line => command = Command::default(),
            Gap::Pipe | Gap::End => {
                statement.end(tell);
                statement = Statement::default();
                command = Command { fetched: command.fetched && gap == Gap::Pipe, ..Command::default() };
            }
        }
    }
    statement.end(tell);
    if FETCHED_IN_PLACE.iter().any(|fetch| text.contains(fetch)) {
        tell(REMOTE_SCRIPT);
    }
}

impl Command {
    /// What was read of the command around it still counts: it goes on behind the quote.
    fn begin_inner(&mut self) {
        if self.place == Place::Argument {
            (self.place, self.wrapped, self.after_option) = (Place::Inner, false, false);
        }
    }

    /// Whether this word changes nothing.
    fn passes(&self, word: &str) -> bool {
        self.place == Place::Argument && self.programs == 0 && !word.starts_with(['-', '/'])
    }

    fn take(&mut self, word: &str, name: &str, is_keyword: bool, tell: &mut dyn FnMut(Found)) {
        let place = std::mem::replace(&mut self.place, Place::Argument);
        let is_flag = word.starts_with('-') && !word.starts_with("--");
        if place != Place::Argument {
            let is_raising = RAISING.contains(&name);
            if is_raising {
                tell(ELEVATED_RIGHTS);
            }
            let is_wrapper = is_raising || WRAPPERS.contains(&name);
            let is_option = self.wrapped && word.starts_with('-');
            let is_number = self.wrapped && word.starts_with(|first: char| first.is_ascii_digit());
            let is_before = is_wrapper || is_option || is_number || is_keyword || is_assignment(word);
            self.wrapped |= is_wrapper;
            if is_before || self.after_option {
                self.place = place;
            }
            self.after_option = is_option;
            if !is_before {
                self.begin(place, name, tell);
            }
        } else if RUNNING.contains(&word)
            || (self.runs(program::SHELL) && is_flag && (word.ends_with('c') || word == "-command"))
        {
            self.place = Place::Inner;
        }
        if (self.runs(program::RM) && is_recursive(word))
            || (self.runs(program::REMOVE_ITEM) && word.starts_with("-r"))
            || (self.runs(program::RD) && word == "/s")
            || (self.runs(program::FIND) && word == "-delete")
        {
            tell(RECURSIVE_DELETE);
        }
        if (self.runs(program::DD) && word.starts_with("of=/dev/"))
            || (self.runs(program::MKFS) && word.starts_with("/dev/"))
        {
            tell(DISK_WRITE);
        }
    }

    /// A program is run.
    fn begin(&mut self, place: Place, name: &str, tell: &mut dyn FnMut(Found)) {
        let is_first = place == Place::First;
        let is_shell = SHELLS.contains(&name);
        // Between quotes it may be any word.
        if is_first && is_shell && self.fetched {
            tell(REMOTE_SCRIPT);
        }
        if is_first && name.starts_with("mkfs") {
            tell(DISK_WRITE);
        }
        self.fetched |= FETCHERS.contains(&name);
        self.programs |= match name {
            "rm" => program::RM,
            "remove-item" | "ri" => program::REMOVE_ITEM,
            "rd" | "rmdir" | "del" | "erase" => program::RD,
            "find" => program::FIND,
            "dd" => program::DD,
            _ if name.starts_with("mkfs") => program::MKFS,
            _ if is_shell || name == "su" => program::SHELL,
            _ => 0,
        };
    }

    fn runs(&self, program: u8) -> bool {
        self.programs & program != 0
    }
}

impl Statement {
    /// Whether this word changes nothing: it is none of those that count by themselves, and stands behind none.
    fn passes(&self, word: &str) -> bool {
        let counts = VERBS.iter().chain(&["update", "set", "where"]).any(|it| it.eq_ignore_ascii_case(word));
        !counts && !VERBS.contains(&self.last.as_str())
    }

    fn take(&mut self, word: &str, tell: &mut dyn FnMut(Found)) {
        let pair = (self.last.as_str(), word);
        match pair {
            ("drop", "table" | "database" | "schema" | "view" | "index" | "user" | "role")
            | ("truncate", "table") => tell(SQL_DROP),
            ("delete", "from") => self.verb = Some("delete"),
            _ => {}
        }
        if word == "update" && self.verb.is_none() {
            self.verb = Some("update");
        }
        self.has_set |= word == "set";
        self.has_where |= word == "where";
        word.clone_into(&mut self.last);
    }

    fn end(&self, tell: &mut dyn FnMut(Found)) {
        let every_row = match self.verb {
            Some("delete") => true,
            Some(_) => self.has_set,
            None => false,
        };
        if every_row && !self.has_where {
            tell(SQL_EVERY_ROW);
        }
    }
}

/// `-r` among other options of `rm`, also as PowerShell spells it, or `--recursive`, also cut short.
fn is_recursive(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('-') else { return false };
    let letters = rest.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default();
    (letters.contains('r') && letters.bytes().all(|letter| b"dfirvwxp".contains(&letter)))
        || letters.starts_with("rec")
        || (word.len() > 2 && "--recursive".starts_with(word))
}

/// `NAME=value`, before a command.
fn is_assignment(word: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(is_of_name))
}

/// The words of a text, each with what follows it.
fn words(text: &str) -> impl Iterator<Item = (&str, Gap)> {
    let mut rest = text;
    let mut quote = None;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (word, after) = rest.split_at(boundary(rest));
        if let Some(next) = without_break(after) {
            rest = next;
            let gap = match quote {
                // On the next line a pipe may take what this one puts out.
                None if next.trim_start_matches([' ', '\t']).starts_with('|') => Gap::None,
                None if !word.ends_with(GOES_ON) => Gap::Line,
                _ => Gap::Inner,
            };
            return Some((word.strip_suffix(GOES_ON).unwrap_or(word), gap));
        }
        let boundary = after.chars().next();
        rest = after.get(boundary.map_or(0, char::len_utf8)..).unwrap_or_default();
        let gap = match boundary {
            Some('|') => Gap::Pipe,
            Some(';' | '&') => Gap::End,
            Some('(') if word.ends_with(['$', '<', '>']) => Gap::Inner,
            Some('{' | '\r') => Gap::Inner,
            Some('`') => {
                // Before the end of a line, PowerShell's command goes on.
                rest = without_break(rest).unwrap_or(rest);
                Gap::Inner
            }
            Some(mark @ ('"' | '\'')) => {
                let escapes = word.len() - word.trim_end_matches('\\').len();
                let is_letter = |character: char| character.is_ascii_alphabetic();
                let is_apostrophe = mark == '\'' && word.ends_with(is_letter) && rest.starts_with(is_letter);
                quote = match quote {
                    Some(open) if open == mark && (mark == '\'' || escapes % 2 == 0) => None,
                    None if escapes % 2 == 0 && !is_apostrophe => Some(mark),
                    quote => quote,
                };
                Gap::Inner
            }
            _ => Gap::None,
        };
        Some((word, gap))
    })
}

/// What follows a line break.
fn without_break(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))
}

/// A word in lower case; none that matters is longer.
fn short(word: &str) -> Cow<'_, str> {
    lower_case(word.get(..word.len().min(40)).unwrap_or(word))
}

/// How long the word is that a text begins with, in bytes.
fn boundary(text: &str) -> usize {
    let mut at = 0;
    // Most are letters of ASCII, which need not be put together.
    while let Some(byte) = text.as_bytes().get(at) {
        let character = match byte.is_ascii() {
            true => char::from(*byte),
            false => text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default(),
        };
        if is_boundary(character) {
            return at;
        }
        at += character.len_utf8();
    }
    at
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
    fn r37_a_command_is_found_wherever_a_shell_begins_one() {
        for command in [
            "ls\nrm -rf /srv",
            "ls\r\nrm -rf /srv",
            "# don't\nrm -rf /srv",
            "true && \\\n rm -rf /srv",
            "true &&\n  rm -rf /srv",
            "rm \\\r\n  -rf /srv",
            "echo \\\\\nrm -rf /srv",
            "echo ^\nrm -rf /srv",
            "ls\rrm -rf /srv",
            "rm -vrf>log /srv",
            "rm -Recurse:$true x",
            "rm 'a\nb' -rf /srv",
            "Remove-Item x `\n  -Recurse",
            "FOO=1 rm -rf /srv",
            "FOO='a b' BAR=\"c\" rm -rf /srv",
            "env -i X=1 rm -rf /srv",
            "nohup rm -rf /srv &",
            "time rm -rf /srv",
            "exec rm -rf /srv",
            "nice -n 10 rm -rf /srv",
            "timeout -s KILL 5s rm -rf /srv",
            "busybox rm -rf /srv",
            "! rm -rf /srv",
            "if true; then rm -rf /srv; fi",
            "for x in a b; do\n  rm -rf $x\ndone",
            "clean() { rm -rf /srv; }; clean",
            "bash -c \"rm -rf /srv\"",
            "bash -lc rm\\ -rf\\ /srv",
            "su -c 'rm -rf /srv'",
            "su root -c rm\\ -rf\\ /srv",
            "sh -c 'cd /srv && exec rm -rf .'",
            "eval 'rm -rf /srv'",
            "cmd /c rd /s /q C:\\x",
            "powershell -Command Remove-Item -Recurse x",
            "import os; os.system(\"rm -rf /srv\")",
            "find . -exec rm -rf {} +",
            "find . -execdir sh -c 'rm -r \"$1\"' _ {} ;",
            "xargs rm -rf < list",
            "ls | xargs -0 -I {} rm -rf {}",
            "echo $(rm -rf /x)",
            "cat <(rm -rf /x)",
            "echo `rm -rf /x`",
            "rm --recurs x",
            "/usr/local/../local/../local/../local/../bin/rm -rf x",
        ] {
            assert_eq!(codes(command), ["recursive-delete"], "{command}");
        }
        for command in
            ["sudo -n rm -rf /srv", "sudo -u root -- rm -rf /srv", "bash -c 'sudo --user=root rm -rf /srv'"]
        {
            assert_eq!(codes(command), ["elevated-rights", "recursive-delete"], "{command}");
        }
        for command in ["curl x |\n  sh", "curl x\n  | sh", "curl x | env A=1 bash", "curl x | nice -n 5 sh"]
        {
            assert_eq!(codes(command), ["remote-script"], "{command}");
        }
        assert_eq!(codes("curl x | sudo -E bash -"), ["elevated-rights", "remote-script"]);
        for command in ["ls\nmkfs.ext4 /dev/sda1", "sh -c 'mkfs -t ext4 /dev/sda1'", "X=1 dd of=/dev/sda"] {
            assert_eq!(codes(command), ["disk-write"], "{command}");
        }
    }

    #[test]
    fn r37_prose_and_what_stands_on_other_lines_are_no_command() {
        for text in [
            "please format the report",
            "drop me a line",
            "Hi Ann,\n\nplease rm the old drafts - it's the only rm we need.\nDon't rm -r anything.\n\nThanks,\nBob",
            "The rm command deletes.\nWith -r it deletes folders, too.",
            "If you find it, delete it.\nThen find the -delete switch.",
            "He said \"rm\" and left: \"find\" would do.",
            "what does \"mkfs\" do, and \"dd\"?",
            "Time to rm -r it? Watch out.",
            "rm x\ngrep -r y .",
            "rm \"x\"\ngrep -r y .",
            "rm x\r\nls -lart",
            "# it's old\nrm x\nls -lart",
            "grep -c rm -r .",
            "FOO=1 git rm -r x",
            "time git rm -r x",
            "BIN=/bin/rm ls -r x",
            "sh -x rm -r y",
            "env | grep rm",
            "curl x | grep \"sh\"",
            "[\"it\", \"rm\", \"ro\"], \"-webkit-border\", \"--render\"",
            "curl x\nbash y",
            "curl -o x y\ncat x | jq .",
        ] {
            assert!(codes(text).is_empty(), "{text}: {:?}", codes(text));
        }
        assert!(codes("DELETE FROM users\nWHERE \"id\" = 1\n  AND `a` = 'b'").is_empty());
        assert_eq!(codes("DROP\n  TABLE users"), ["sql-drop"]);
        assert_eq!(codes("UPDATE \"users\"\nSET\n  admin = true"), ["sql-every-row"]);
    }

    #[test]
    fn what_deletes_one_file_or_writes_over_none_is_not_found() {
        for command in [
            "rm x",
            "rm -f x",
            "rm -force x",
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
        assert_eq!(codes("UPDATE users SET admin = true"), ["sql-every-row"]);
        assert_eq!(codes("WITH x AS (SELECT 1) DELETE FROM users"), ["sql-every-row"]);
        assert_eq!(codes("EXPLAIN DROP TABLE users"), ["sql-drop"]);
        assert!(codes("EXPLAIN UPDATE users SET a = 1 WHERE id = 2").is_empty());
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
