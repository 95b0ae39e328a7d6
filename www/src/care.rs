//! What this page, as the host of its agents, asks special care for.

use std::sync::Arc;

use countersign_core::{ArgsTest, Constraint, RiskLevel, RiskOptions, RiskRule};

/// The rules of the page: nothing in the arguments alone tells that these matter.
pub(crate) fn rules() -> RiskOptions {
    let rule = |tool: &str, pointer: &str, test, reason: &str| RiskRule {
        tool: Some(Arc::from(tool)),
        server: None,
        args: vec![Constraint { pointer: pointer.to_owned(), test }],
        level: RiskLevel::High,
        reason: Arc::from(reason),
    };
    let rules = vec![
        rule("transfer_funds", "/amount", ArgsTest::Above("5000".to_owned()), "more than 5,000 at once"),
        rule("delete_file", "/recursive", ArgsTest::Equals("true".to_owned()), "a whole folder at once"),
    ];
    RiskOptions { rules, destructive: Vec::new() }
}

#[cfg(test)]
mod tests {
    use countersign_core::{ToolCall, assess};
    use countersign_json::Limits;

    use super::*;

    #[test]
    fn r47_large_transfers_and_whole_folders_are_asked_about_twice() {
        let level = |tool: &str, args: &str| {
            let (id, server, agent) = (None, None, Vec::new().into());
            let call =
                ToolCall { id, tool: tool.into(), args: args.into(), positional: false, server, agent };
            assess(&call, &rules(), &Limits::ARGUMENTS).level
        };
        for (tool, args, expected) in [
            ("transfer_funds", r#"{"amount":9800.50}"#, RiskLevel::High),
            ("transfer_funds", r#"{"amount":1250.00}"#, RiskLevel::Low),
            ("delete_file", r#"{"path":"/srv/a","recursive":true}"#, RiskLevel::High),
            ("delete_file", r#"{"path":"/srv/a","recursive":false}"#, RiskLevel::Low),
            ("send_email", r#"{"amount":9800.50}"#, RiskLevel::Low),
        ] {
            assert_eq!(level(tool, args), expected, "{tool} {args}");
        }
    }
}
