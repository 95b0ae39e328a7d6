//! What the page's address asks for.

use countersign_core::Millis;

use crate::systems::Wire;

/// How long the simulated agent waits between two events unless the address says otherwise, in milliseconds.
const DELAY: u32 = 120;

/// What the page's address asks for.
///
/// # Shape
/// `?wire=…` with the name of a [`Wire`], or `?backend=kagent&url=…&token=…` with one of the backend's wires and `app`,
/// the name of an agent where a server has several; for tests `delay` (milliseconds between simulated events), `hold`
/// (milliseconds that a rejection can be undone), `seed` (of the simulated agent's identifiers) and `fail=1` (the first
/// decision that is sent does not arrive). `policy` begins with what the agent asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which wire is spoken.
    pub wire: Wire,
    /// The real agent; `None`: one is simulated.
    pub server: Option<Server>,
    /// How long the simulated agent waits between two events, in milliseconds.
    pub delay: u32,
    /// How long a rejection is held, so that it can be undone.
    pub hold: Millis,
    /// The seed of the simulated agent.
    pub seed: Option<u64>,
    /// The first decision does not arrive.
    pub fail: bool,
    /// The page begins with what the agent asks about.
    pub policy: bool,
}

/// Where a real agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its address, without a slash at the end.
    pub url: String,
    /// What it wants to see as `Authorization: Bearer`.
    pub token: Option<String>,
    /// Which of its agents is spoken with; `None`: the one that is named after the wire.
    pub app: Option<String>,
}

impl Server {
    /// The same for a transport.
    #[must_use]
    pub fn reach(&self) -> countersign_connect::Server {
        countersign_connect::Server::new(&self.url).with_token(self.token.clone())
    }
}

impl Settings {
    /// The settings in these members of a query; what is unknown or unreadable is left out.
    pub fn read(members: impl IntoIterator<Item = (String, String)>) -> Settings {
        let mut settings = Settings {
            wire: Wire::default(),
            server: None,
            delay: DELAY,
            hold: Millis(0),
            seed: None,
            fail: false,
            policy: false,
        };
        let (mut wire, mut backend, mut url, mut token, mut app) = (None, None, None, None, None);
        for (name, value) in members {
            match name.as_str() {
                "wire" => wire = Wire::named(&value),
                "backend" => backend = Wire::of_backend(&value),
                "url" => url = Some(value.trim_end_matches('/').to_owned()),
                "token" => token = Some(value).filter(|token| !token.is_empty()),
                "app" => app = Some(value).filter(|app| !app.is_empty()),
                "delay" => settings.delay = value.parse().unwrap_or(DELAY),
                "hold" => settings.hold = Millis(value.parse().unwrap_or(0)),
                "seed" => settings.seed = value.parse().ok(),
                "policy" => settings.policy = true,
                "fail" => settings.fail = value == "1",
                _ => {}
            }
        }
        // A wire that the backend does not speak is not asked of it.
        let spoken = wire.filter(|wire| backend.is_none_or(|first| first.backend() == wire.backend()));
        settings.wire = spoken.or(backend).unwrap_or_default();
        settings.server = url.filter(|_| backend.is_some()).map(|url| Server { url, token, app });
        settings
    }

    /// Under what name this backend's things are stored.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.server {
            Some(Server { url, app: Some(app), .. }) => format!("{} {url} {app}", self.wire.name()),
            Some(server) => format!("{} {}", self.wire.name(), server.url),
            None => self.wire.name().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Settings {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Settings::read(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn an_agent_is_simulated_unless_a_real_one_is_named() {
        assert_eq!((read("").wire, read("").server, read("").delay), (Wire::Kagent010, None, 120));
        assert_eq!(read("wire=kagent-hitl-v1&delay=0").wire, Wire::KagentHitlV1);
        let real = read("backend=kagent&url=http://127.0.0.1:8083/&token=t");
        let url = "http://127.0.0.1:8083".to_owned();
        let server = Server { url, token: Some("t".to_owned()), app: None };
        assert_eq!(
            (real.name(), real.server),
            ("kagent-0.10 http://127.0.0.1:8083".to_owned(), Some(server))
        );
        assert_eq!(read("url=http://127.0.0.1:8083").server, None);
    }
}
