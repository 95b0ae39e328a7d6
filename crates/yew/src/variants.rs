//! Choices that several components share.

/// How something is meant to be taken. Never said by colour alone: words stand beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Someone is waited for.
    Attention,
    /// It went well, or was allowed.
    Good,
    /// It failed, or was refused.
    Bad,
}

impl Tone {
    /// The tone as the stylesheet spells it, in `data-tone`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Attention => "attention",
            Tone::Good => "good",
            Tone::Bad => "bad",
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the page's `color-scheme` says.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// The value of the host's `data-theme`; `None`: no attribute.
    #[must_use]
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Theme::System => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }
}

/// How much room things have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Density {
    /// Room to read.
    #[default]
    Comfortable,
    /// Less room, for narrow side panels and long queues. Nothing becomes too small to be hit.
    Compact,
}

impl Density {
    /// The value of the host's `data-density`; `None`: no attribute.
    #[must_use]
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Density::Comfortable => None,
            Density::Compact => Some("compact"),
        }
    }
}
