//! The TypeScript types are those of the Rust types.
//!
//! `COUNTERSIGN_BLESS=1 cargo test -p countersign-wasm --test types` writes them.

use std::path::Path;

use countersign_core::{
    Advice, BatchId, BatchView, CallId, DecidedBy, DecisionFields, EditRule, GrantScope, HazardView, Millis,
    Offer, OfferKind, OutboundId, OutboundState, OutboundView, Problem, ProblemCode, Question, RefusalCode,
    RequestId, RequestView, RiskLevel, RiskReason, RiskSource, RiskView, Status, Words,
};
use ts_rs::{Config, TS};

/// The declaration of a type with its documentation.
fn declaration<T: TS>(configuration: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    format!("{}export {}\n", docs, T::decl(configuration))
}

fn module() -> String {
    let configuration = Config::default().with_large_int("number");
    macro_rules! declarations {
        ($($name:ident)*) => { [$(declaration::<$name>(&configuration)),*].join("\n") };
    }
    let declarations = declarations!(
        RequestView Status Offer OfferKind EditRule Words GrantScope DecisionFields Question BatchView HazardView RiskView RiskReason RiskLevel
        RiskSource DecidedBy OutboundView
        OutboundState Problem ProblemCode RefusalCode Advice RequestId CallId BatchId OutboundId Millis
    );
    format!(
        "// Made from the Rust types by the test `types` of countersign-wasm; not to be edited.\n\n\
         import type {{ Decision }} from \"./options.js\";\n\n{declarations}"
    )
}

#[test]
fn the_typescript_types_are_those_of_the_rust_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/src/types.ts");
    let made = module();
    if std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(made == committed, "npm/src/types.ts is out of date: run this test with COUNTERSIGN_BLESS=1");
}
