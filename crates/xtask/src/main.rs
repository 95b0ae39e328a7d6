//! The development commands: `cargo xtask help` lists them.

mod arguments;
mod bench;
mod counts;
mod demo;
mod docs;
mod failure;
mod files;
mod fuzz;
mod invocation;
mod npm;
mod size;
mod test;
mod tidy;
mod tools;
mod workspace;

use std::env;
use std::process::ExitCode;

use arguments::Order;
use failure::Failure;
use workspace::Workspace;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    let order = arguments::read(env::args().skip(1))?;
    let workspace = Workspace::find()?;
    match order {
        Order::Help => print!("{}", arguments::HELP),
        Order::Demo(options) => demo::run(&workspace, &options)?,
        Order::Test(options) => return test::run(&workspace, &options),
        Order::Npm => npm::build(&workspace)?,
        Order::Size => {
            npm::build(&workspace)?;
            size::measure(&workspace)?;
        }
        Order::Bench => bench::run(&workspace)?,
        Order::Fuzz(minutes) => fuzz::run(&workspace, minutes)?,
        Order::Docs => {
            npm::build(&workspace)?;
            demo::build(&workspace)?;
            docs::build(&workspace)?;
        }
        Order::Tidy => tidy::run(&workspace)?,
    }
    Ok(ExitCode::SUCCESS)
}
