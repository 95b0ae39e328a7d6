//! Ready-made prompts, each of which shows something that an approval card must get right.

use super::call::Proposal;
use super::plan::{QUESTIONS, Step};

/// What the page suggests to say, in order.
pub const PROMPTS: [&str; 5] = [INVOICES, EMAIL, BANK_DETAILS, SHOP, CLUSTER];

/// Those of them in which nothing is asked but approvals.
pub const APPROVALS: [&str; 4] = [INVOICES, EMAIL, BANK_DETAILS, CLUSTER];

/// Three calls of which one needs no approval; a number that a JavaScript number cannot hold.
const INVOICES: &str = "Clean up the old invoices and pay ACME";
/// The same tool twice, and a long text.
const EMAIL: &str = "Email the figures to the board and to Bob";
/// Text that reads differently from what it says.
const BANK_DETAILS: &str = "Pay the invoice from this morning's mail";
/// Questions instead of an approval.
const SHOP: &str = "Set up a database for the new shop";
/// Calls of another agent.
const CLUSTER: &str = "Let the cluster agent restart the checkout";

/// The steps of a ready-made prompt.
pub(crate) fn steps(text: &str) -> Option<Vec<Step>> {
    let says = |text: &str| text.to_owned();
    Some(match text.trim() {
        INVOICES => vec![
            Step::Run {
                says: says("I will look at the invoices first."),
                calls: vec![Proposal::new(
                    "read_file",
                    r#"{"path":"/srv/invoices/index.csv","max_lines":500}"#,
                )],
            },
            Step::Gated {
                says: says(
                    "The 2019 export is no longer needed, and ACME's invoice is due. I will delete the one and pay the other.",
                ),
                calls: vec![
                    Proposal::new("delete_file", r#"{"path":"/srv/invoices/2019.tar.gz","recursive":false}"#),
                    Proposal::new("transfer_funds", ACME),
                ],
            },
        ],
        EMAIL => vec![Step::Gated {
            says: says("I will send both messages now."),
            calls: vec![Proposal::new("send_email", BOARD), Proposal::new("send_email", BOB)],
        }],
        BANK_DETAILS => vec![Step::Gated {
            says: says("The supplier has new bank details. I will pay to the new account."),
            calls: vec![Proposal::new("transfer_funds", SUPPLIER)],
        }],
        SHOP => vec![Step::Ask {
            says: says("I need to know a few things first."),
            questions: QUESTIONS.to_owned(),
        }],
        CLUSTER => vec![Step::Delegate {
            says: says("I will hand this to the agent that looks after the cluster."),
            request: says("Restart the checkout deployment and clear its cache"),
            calls: Some(vec![
                Proposal::new(
                    "restart_deployment",
                    r#"{"namespace":"shop","deployment":"checkout","grace_seconds":30,"strategy":{"type":"RollingUpdate","max_unavailable":0}}"#,
                ),
                Proposal::new("delete_file", r#"{"path":"/var/cache/checkout/sessions.db"}"#),
            ]),
        }],
        _ => return None,
    })
}

const ACME: &str = concat!(
    r#"{"to_account":"DE89 3704 0044 0532 0130 00","amount":1250.00,"currency":"EUR","#,
    r#""reference":2512292042121000001,"memo":"Invoice 2025-704, thank you","urgent":false}"#
);

const BOARD: &str = concat!(
    r#"{"to":"board@example.com","cc":["cfo@example.com","legal@example.com"],"subject":"Figures of the third quarter","#,
    r#""body":"Dear all,\n\nplease find the figures of the third quarter below. Revenue grew by 4.2 % against the "#,
    r#"same quarter of last year; the growth comes from the northern region alone. Costs fell by 1.1 %, because the "#,
    r#"second warehouse was closed in July as planned. The cash position stands at 3.4 million after the repayment of "#,
    r#"the bridge loan. The outlook for the year is unchanged. Before the meeting on Thursday I will add the figures "#,
    r#"of the two subsidiaries, which close their books a week later than we do.\n\nKind regards"}"#
);

const BOB: &str = r#"{"to":"bob@example.com","subject":"Figures of the third quarter","body":"Bob, the board has them now."}"#;

const SUPPLIER: &str = concat!(
    r#"{"to_account":"LT12 1000 0111 0100 1000","beneficiary":"ACME\u00a0Supplies","amount":9800.50,"currency":"EUR","#,
    r#""memo":"Invoice 2025-\u202e704\u202c, account\u200b changed"}"#
);

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_json::{Document, Limits};

    #[test]
    fn every_prompt_has_steps_and_its_arguments_are_objects() {
        for prompt in PROMPTS {
            let steps = steps(prompt).unwrap_or_default();
            assert!(!steps.is_empty(), "{prompt}");
            for step in steps {
                let calls = match step {
                    Step::Run { calls, .. } | Step::Gated { calls, .. } => calls,
                    Step::Delegate { calls, .. } => calls.unwrap_or_default(),
                    Step::Ask { .. } | Step::Crash => Vec::new(),
                };
                for call in calls {
                    let document =
                        Document::parse(&call.args, &Limits::ARGUMENTS).expect("arguments are JSON");
                    assert!(document.root().is_object(), "{}", call.args);
                }
            }
        }
    }
}
