//! Everything that has to hold, step by step.

mod steps;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crate::arguments::TestOptions;
use crate::counts::{Counts, Tally};
use crate::failure::Failure;
use crate::workspace::Workspace;
use steps::{STEPS, Step};

/// Runs the steps that were asked for. The last line is `N passed, N failed`.
///
/// A step that fails does not keep the others from running, except those that need what it makes.
pub(crate) fn run(workspace: &Workspace, options: &TestOptions) -> Result<ExitCode, Failure> {
    let chosen = choose(options)?;
    thread::scope(|scope| {
        if chosen.len() == STEPS.len() {
            scope.spawn(|| steps::prepare_all(workspace));
        }
        Ok(run_all(workspace, &chosen))
    })
}

fn run_all(workspace: &Workspace, chosen: &[&Step]) -> ExitCode {
    let started = Instant::now();
    let mut sum = Counts::default();
    let mut failures: Vec<(&str, String, Vec<String>)> = Vec::new();
    let mut unsteady: Vec<(&str, String)> = Vec::new();
    for (number, step) in (1_usize..).zip(chosen) {
        println!("\n== {} ({number} of {}): {}", step.name, chosen.len(), step.promise);
        let began = Instant::now();
        let lost = step.needs.iter().find(|need| failures.iter().any(|(failed, ..)| failed == *need));
        let (tally, problem) = match lost {
            Some(need) => (Counts::ONE_FAILED.into(), Some(format!("needs the step `{need}`, which failed"))),
            None => outcome((step.run)(workspace)),
        };
        let counts = tally.counts;
        sum += counts;
        unsteady.extend(tally.unsteady.into_iter().map(|test| (step.name, test)));
        let time = time(began.elapsed());
        match problem {
            None => println!("== {}: {counts}, {time}", step.name),
            Some(problem) => {
                println!("== {}: FAILED after {time}: {problem}", step.name);
                failures.push((step.name, problem, tally.failed));
            }
        }
    }
    println!("\n{} of {} steps failed, {}", failures.len(), chosen.len(), time(started.elapsed()));
    for (name, problem, tests) in &failures {
        println!("   {name}: {problem}");
        for test in tests {
            println!("      {test}");
        }
    }
    for (name, test) in &unsteady {
        println!("   {name}: unsteady, passed when it ran once more: {test}");
    }
    println!("{sum}");
    // The process may end before a pipe has the last line otherwise.
    io::stdout().flush().ok();
    if failures.is_empty() && sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn outcome(result: Result<Tally, Failure>) -> (Tally, Option<String>) {
    match result {
        Ok(tally) if tally.counts.failed == 0 => (tally, None),
        Ok(tally) => {
            let problem = tally.counts.to_string();
            (tally, Some(problem))
        }
        Err(failure) => (Counts::ONE_FAILED.into(), Some(failure.to_string())),
    }
}

fn choose(options: &TestOptions) -> Result<Vec<&'static Step>, Failure> {
    let known = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = options.only.iter().find(|name| !STEPS.iter().any(|step| step.name == *name)) {
        return Err(Failure::new(format!("there is no step `{unknown}`; the steps are {}", known())));
    }
    let chosen: Vec<&Step> = STEPS
        .iter()
        .filter(|step| !options.quick || step.quick)
        .filter(|step| options.only.is_empty() || options.only.iter().any(|name| name == step.name))
        .collect();
    if chosen.is_empty() { Err(Failure::new("no step of these belongs to `--quick`")) } else { Ok(chosen) }
}

/// `8.3 s`, `12 min 5 s`.
fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds.checked_div(60), seconds.checked_rem(60)) {
        (Some(minutes), Some(rest)) if minutes > 0 => format!("{minutes} min {rest} s"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(quick: bool, only: &[&str]) -> Result<Vec<&'static str>, String> {
        let options = TestOptions { quick, only: only.iter().map(|name| (*name).to_owned()).collect() };
        let chosen = choose(&options).map_err(|failure| failure.to_string())?;
        Ok(chosen.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn quick_is_the_native_inner_loop() {
        assert_eq!(names(true, &[]).unwrap(), ["fmt", "clippy", "test", "doc", "tidy"]);
    }

    #[test]
    fn only_chooses_steps_in_their_order() {
        assert_eq!(names(false, &["tidy", "fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(true, &["browser"]).unwrap_err(), "no step of these belongs to `--quick`");
        assert!(
            names(false, &["lint"]).unwrap_err().starts_with("there is no step `lint`; the steps are fmt, ")
        );
    }

    #[test]
    fn steps_come_after_what_they_need() {
        let all = names(false, &[]).unwrap();
        for (position, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                let before = all.iter().position(|name| name == need);
                assert!(before.is_some_and(|before| before < position), "{} needs {need}", step.name);
            }
        }
    }

    #[test]
    fn a_failed_step_counts_once_and_keeps_its_sentence() {
        let (tally, problem) = outcome(Err(Failure::new("www/index.html is missing")));
        assert_eq!(
            (tally.counts, problem.as_deref()),
            (Counts::ONE_FAILED, Some("www/index.html is missing"))
        );
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(time(Duration::from_millis(8_340)), "8.3 s");
        assert_eq!(time(Duration::from_secs(725)), "12 min 5 s");
    }
}
