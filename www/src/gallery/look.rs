//! How the address wants the gallery to look.

use countersign_core::Millis;
use countersign_yew::{ARM_DELAY, Catalogue, Density, Renderers, Theme, locales};
use yew::prelude::*;

use super::renderer;
use crate::browser;

/// How the address wants the gallery to look.
///
/// # Shape
/// `theme=light|dark`, `dir=ltr|rtl`, `density=comfortable|compact`, `locale=de`, `width=320|480|768` (CSS pixels of the
/// column), `state=pending` (one or several names, separated by commas), `renderer=tells|nothing|covers|fails` (what a page draws in addition), `now` (a fixed clock, milliseconds since the
/// Unix epoch) and `arm` (how long an approval is inert, milliseconds).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    /// Light or dark.
    pub(crate) theme: Theme,
    /// The direction of the page; `None`: that of the locale.
    pub(crate) direction: Option<&'static str>,
    /// How much room things have.
    pub(crate) density: Density,
    /// The words, in the language of the address.
    pub(crate) words: Catalogue,
    /// The width of the column.
    pub(crate) width: Option<AttrValue>,
    /// Which states are shown; empty: all.
    pub(crate) states: Vec<String>,
    /// A fixed clock.
    pub(crate) now: Option<Millis>,
    /// How long an approval is inert, in milliseconds.
    pub(crate) arm_delay: u32,
    /// What is drawn of a call in addition.
    pub(crate) renderers: Renderers,
}

impl Look {
    /// The look in these members of a query; what is unknown or unreadable is left out.
    pub(crate) fn read(members: impl IntoIterator<Item = (String, String)>) -> Look {
        let mut look = Look {
            theme: Theme::System,
            direction: None,
            density: Density::Comfortable,
            words: Catalogue::default(),
            width: None,
            states: Vec::new(),
            now: None,
            arm_delay: ARM_DELAY,
            renderers: Renderers::default(),
        };
        for (name, value) in members {
            match name.as_str() {
                "theme" => look.theme = theme(&value),
                "dir" => look.direction = one_of(&["ltr", "rtl"], &value),
                "density" if value == "compact" => look.density = Density::Compact,
                "locale" => look.words = words(&value),
                "width" => look.width = Some(value.into()),
                "state" => look.states = value.split(',').map(str::to_owned).collect(),
                "now" => look.now = value.parse().ok().map(Millis),
                "renderer" => look.renderers = renderer::named(&value),
                "arm" => look.arm_delay = value.parse().unwrap_or(ARM_DELAY),
                _ => {}
            }
        }
        look
    }

    /// Whether a state is to be shown.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.states.is_empty() || self.states.iter().any(|state| state == name)
    }

    /// Gives the document this look.
    pub(crate) fn apply(&self) {
        browser::mark_root("theme", self.theme.attribute());
        browser::mark_root("density", self.density.attribute());
        if let Some(root) = gloo::utils::document().document_element() {
            let _ = root.set_attribute("lang", self.words.locale());
            let _ = root.set_attribute("dir", self.direction.or(self.words.direction()).unwrap_or("ltr"));
        }
    }

    /// The page's header, with links to other looks of it.
    pub(crate) fn header(&self, heading: &'static str, page: &'static str) -> Html {
        let link = |words: &'static str, members: &'static str| {
            html! { <a href={[page, members].concat()}>{ words }</a> }
        };
        html! {
            <header class="gallery-head">
                <h1>{ heading }</h1>
                <nav class="looks" aria-label="Looks">
                    <a href="?">{ "Demo" }</a>
                    if page == "?gallery" {
                        <a href="?attacks">{ "Attacks" }</a>
                    } else {
                        <a href="?gallery">{ "Gallery" }</a>
                    }
                    { link("Light", "&theme=light") }
                    { link("Dark", "&theme=dark") }
                    { link("Right to left", "&dir=rtl") }
                    { link("Compact", "&density=compact") }
                    { link("Narrow", "&width=320") }
                    { link("Deutsch", "&locale=de") }
                    { link("中文", "&locale=zh-Hans") }
                    { link("العربية", "&locale=ar") }
                </nav>
            </header>
        }
    }
}

/// The words of a language; English where there is no catalogue.
fn words(tag: &str) -> Catalogue {
    locales::find(tag).map(|json| Catalogue::from_json(json).catalogue).unwrap_or_default()
}

fn theme(value: &str) -> Theme {
    match value {
        "light" => Theme::Light,
        "dark" => Theme::Dark,
        _ => Theme::System,
    }
}

fn one_of(known: &[&'static str], value: &str) -> Option<&'static str> {
    known.iter().find(|known| **known == value).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Look {
        let pair =
            |member: &str| member.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Look::read(query.split('&').filter_map(pair))
    }

    #[test]
    fn the_address_chooses_the_look() {
        let look =
            read("theme=dark&dir=rtl&density=compact&locale=de&width=320&state=pending,changed&now=7&arm=0");
        assert_eq!((look.theme, look.direction, look.density), (Theme::Dark, Some("rtl"), Density::Compact));
        assert_eq!((look.words.locale().as_str(), look.width.as_deref()), ("de", Some("320")));
        assert_eq!((look.now, look.arm_delay), (Some(Millis(7)), 0));
        assert!(look.wants("changed") && !look.wants("sent"));
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        let look = read("theme=pink&dir=up&density=roomy&now=soon&arm=never&locale=tlh");
        // A catalogue is equal to itself only.
        let same = Look { words: look.words.clone(), ..read("") };
        assert_eq!((look.words.locale().as_str(), &look), ("en", &same));
        assert!(look.wants("anything"));
    }
}
