//! A page with an agent: what it wants to run waits in an inbox and on cards in the chat.

mod agent;
mod kept;
mod page;

fn main() {
    yew::Renderer::<page::Page>::new().render();
}
