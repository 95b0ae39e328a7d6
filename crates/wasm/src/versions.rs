//! What was built from what.

use countersign_json::Writer;
use wasm_bindgen::prelude::wasm_bindgen;

/// The versions of this build as JSON text: `{ package, core, commit }`.
///
/// All crates carry one version. `commit` is what the environment variable `COUNTERSIGN_COMMIT` said while building.
#[wasm_bindgen]
#[must_use]
pub fn versions() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("package").string(version);
    writer.key("core").string(version);
    writer.key("commit").string(option_env!("COUNTERSIGN_COMMIT").unwrap_or("unknown"));
    writer.end_object();
    writer.finish()
}
