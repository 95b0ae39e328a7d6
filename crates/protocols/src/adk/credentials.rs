//! Arguments of which ADK's server may have sent a part only.
//!
//! Source: google-adk 2.13.0, `auth/auth_credential.py`. Its server takes secrets out of every object of an event that
//! looks like a credential, also where it is an argument of a tool. The call runs with what was taken out.

use countersign_json::Value;

/// Members that hold credentials, or that a request for them holds.
const CREDENTIALS: [&str; 6] = [
    "rawAuthCredential",
    "raw_auth_credential",
    "exchangedAuthCredential",
    "exchanged_auth_credential",
    "requestedAuthConfigs",
    "requested_auth_configs",
];

/// The kinds of credentials; ADK writes them in several ways.
const KINDS: [&str; 5] = ["apikey", "http", "oauth2", "openidconnect", "serviceaccount"];

/// Whether something may have been taken out of these arguments, at any depth.
pub(super) fn may_lack_secrets(args: Value<'_>) -> bool {
    let mut rest = vec![args];
    while let Some(value) = rest.pop() {
        for (key, inner) in value.members() {
            if is_looked_into(key, inner) {
                return true;
            }
            rest.push(inner);
        }
        rest.extend(value.items());
    }
    false
}

fn is_looked_into(key: Value<'_>, inner: Value<'_>) -> bool {
    CREDENTIALS.iter().any(|name| key.equals(name))
        || (key.equals("name") && inner.equals("adk_request_credential"))
        || ((key.equals("authType") || key.equals("auth_type")) && is_kind(inner))
}

fn is_kind(value: Value<'_>) -> bool {
    let Some(text) = value.as_str_lossy() else { return false };
    let word = || text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase());
    KINDS.iter().any(|kind| word().eq(kind.bytes()))
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::may_lack_secrets;

    #[test]
    fn what_looks_like_a_credential_may_lack_its_secrets() {
        for args in [
            r#"{"authType":"apiKey"}"#,
            r#"{"a":[1,{"auth_type":"SERVICE_ACCOUNT"}]}"#,
            r#"{"a":{"\u0061uthType":"open_id_connect"}}"#,
            r#"{"a":{"raw_auth_credential":null}}"#,
            r#"{"a":{"name":"adk_request_credential","args":{}}}"#,
        ] {
            let document = Document::parse(args, &Limits::default()).unwrap();
            assert!(may_lack_secrets(document.root()), "{args}");
        }
        for args in
            [r#"{"authType":"none","token":"t"}"#, r#"{"authType":5}"#, r#"{"name":"apiKey"}"#, "[]", "7"]
        {
            let document = Document::parse(args, &Limits::default()).unwrap();
            assert!(!may_lack_secrets(document.root()), "{args}");
        }
    }
}
