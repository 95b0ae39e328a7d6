//! The demo page.

fn main() {
    countersign_www::start();
}
