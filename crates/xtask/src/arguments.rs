//! The words after `cargo xtask`.

use crate::failure::Failure;

/// What `cargo xtask help` prints.
pub(crate) const HELP: &str = "\
cargo xtask <command>

  demo    open the demo page; installs what is missing
            --backend NAME  run it against a real framework: kagent, adk,
                            langgraph, haystack or adalflow
            --port N        serve at this port of 127.0.0.1 instead of a free one
            --release       as small and fast as published; takes longer to build
            --no-open       do not open a browser
  test    run everything; installs what is missing
            --quick         only what needs no browser: format, lints, Rust tests, their
                            documentation, tidy
            --only STEP     only this step; may be repeated; `cargo xtask test --only help` lists them
  ci      the same as test
  npm     build the npm package into target/npm/countersign
  size    build it and compare what a page downloads with size-budget.toml
  bench   build it and measure in a browser
  fuzz    look for bytes that break what reads them, 10 minutes for each kind of reader
            MINUTES         for so long instead
  docs    build the documentation site with the demo into target/docs
  tidy    check the rules that no compiler checks
";

/// A command with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Help,
    Demo(DemoOptions),
    Test(TestOptions),
    Npm,
    Size,
    Bench,
    /// For how many minutes each.
    Fuzz(u32),
    Docs,
    Tidy,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DemoOptions {
    /// The real framework; `None`: agents simulated in the page.
    pub(crate) backend: Option<String>,
    /// `None`: a free one.
    pub(crate) port: Option<u16>,
    pub(crate) release: bool,
    pub(crate) no_open: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestOptions {
    pub(crate) quick: bool,
    /// Names of steps; empty: all.
    pub(crate) only: Vec<String>,
}

/// Reads the words after `cargo xtask`.
pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Order, Failure> {
    let words = words.into_iter().collect::<Vec<_>>();
    if words.iter().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        return Ok(Order::Help);
    }
    let mut words = words.into_iter();
    let command = words.next().unwrap_or_else(|| "help".into());
    let order = match command.as_str() {
        "help" => return Ok(Order::Help),
        "demo" => Order::Demo(demo(&mut words)?),
        "test" | "ci" => Order::Test(test(&mut words)?),
        "npm" => Order::Npm,
        "size" => Order::Size,
        "bench" => Order::Bench,
        "fuzz" => Order::Fuzz(words.next().map_or(Ok(10), |word| minutes(&word))?),
        "docs" => Order::Docs,
        "tidy" => Order::Tidy,
        other => {
            return Err(Failure::new(format!(
                "there is no command `{other}`; `cargo xtask help` lists them"
            )));
        }
    };
    match words.next() {
        None => Ok(order),
        Some(extra) => Err(Failure::new(format!("`cargo xtask {command}` does not know `{extra}`"))),
    }
}

fn demo(words: &mut impl Iterator<Item = String>) -> Result<DemoOptions, Failure> {
    let mut options = DemoOptions::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--backend" => options.backend = Some(value(words, &word)?),
            "--port" => options.port = Some(port(&value(words, &word)?)?),
            "--release" => options.release = true,
            "--no-open" => options.no_open = true,
            other => return Err(Failure::new(format!("`cargo xtask demo` does not know `{other}`"))),
        }
    }
    Ok(options)
}

fn test(words: &mut impl Iterator<Item = String>) -> Result<TestOptions, Failure> {
    let mut options = TestOptions::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => options.quick = true,
            "--only" => options.only.push(value(words, &word)?),
            other => return Err(Failure::new(format!("`cargo xtask test` does not know `{other}`"))),
        }
    }
    Ok(options)
}

fn value(words: &mut impl Iterator<Item = String>, option: &str) -> Result<String, Failure> {
    words
        .next()
        .filter(|word| !word.starts_with("--"))
        .ok_or_else(|| Failure::new(format!("`{option}` needs a value")))
}

fn port(word: &str) -> Result<u16, Failure> {
    word.parse()
        .ok()
        .filter(|port| *port != 0)
        .ok_or_else(|| Failure::new(format!("`{word}` is not a port: a number from 1 to 65535 is")))
}

fn minutes(word: &str) -> Result<u32, Failure> {
    word.parse()
        .ok()
        .filter(|minutes| *minutes != 0)
        .ok_or_else(|| Failure::new(format!("`{word}` is not a number of minutes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Order, String> {
        read(line.split_whitespace().map(str::to_owned)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn options_are_read_in_any_order() {
        let options =
            DemoOptions { backend: Some("kagent".into()), port: Some(8080), release: false, no_open: true };
        assert_eq!(read_line("demo --no-open --port 8080 --backend kagent"), Ok(Order::Demo(options)));
        let options = TestOptions { quick: true, only: vec!["fmt".into(), "tidy".into()] };
        assert_eq!(read_line("test --only fmt --quick --only tidy"), Ok(Order::Test(options)));
    }

    #[test]
    fn fuzz_takes_a_number_of_minutes() {
        assert_eq!(read_line("fuzz"), Ok(Order::Fuzz(10)));
        assert_eq!(read_line("fuzz 3"), Ok(Order::Fuzz(3)));
        assert_eq!(read_line("fuzz 0"), Err("`0` is not a number of minutes".into()));
        assert_eq!(read_line("fuzz 3 4"), Err("`cargo xtask fuzz` does not know `4`".into()));
    }

    #[test]
    fn ci_is_test() {
        assert_eq!(read_line("ci"), read_line("test"));
    }

    #[test]
    fn no_word_and_a_request_for_help_anywhere_get_it() {
        assert_eq!(read_line(""), Ok(Order::Help));
        assert_eq!(read_line("-h"), Ok(Order::Help));
        assert_eq!(read_line("demo --backend kagent --help"), Ok(Order::Help));
    }

    #[test]
    fn what_is_not_known_is_named() {
        let check = |line, expected: &str| assert_eq!(read_line(line), Err(expected.into()));
        check("bless", "there is no command `bless`; `cargo xtask help` lists them");
        check("demo --fast", "`cargo xtask demo` does not know `--fast`");
        check("size --quick", "`cargo xtask size` does not know `--quick`");
        check("demo --port", "`--port` needs a value");
        check("demo --backend --no-open", "`--backend` needs a value");
        check("demo --port 70000", "`70000` is not a port: a number from 1 to 65535 is");
        check("demo --port 0", "`0` is not a port: a number from 1 to 65535 is");
    }
}
