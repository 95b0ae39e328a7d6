//! What one guarded button remembers: when it may act, and where a press began.

use crate::arming::Seal;

/// How often a button is looked at while it is in sight, in milliseconds.
pub(super) const LOOK: u32 = 100;

/// The arming of a button that does not act.
const INERT: u32 = 0;

/// What a look at a button finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It, or the page, is not in view.
    Away,
    /// Something stands in front of it.
    Covered,
    /// It is on top, here: left, top, width, height in whole pixels.
    At([i32; 4]),
}

/// The state of one guarded button.
#[derive(Clone, Debug, Default)]
pub(super) struct Latch {
    seal: Option<Seal>,
    /// How many looks are needed.
    needed: u32,
    last: Option<Look>,
    /// How many looks found it in the same place.
    steady: u32,
    /// Which arming this is; [`INERT`] while it is.
    armed: u32,
    armings: u32,
    /// In which arming a press began.
    pressed: Option<u32>,
    /// The pointer that it is of; a key's has none.
    pointer: Option<i32>,
}

/// What becomes of a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It counts.
    Counts,
    /// It came too early, or its press began elsewhere.
    Inert,
    /// Something stands in front of the button.
    Covered,
}

impl Latch {
    /// Takes up what the button stands for now; another seal starts anew.
    pub(super) fn seal(&mut self, seal: &Seal, delay: u32) {
        if self.seal.as_ref() != Some(seal) {
            self.seal = Some(seal.clone());
            self.renew();
        }
        self.needed = delay.clamp(super::MIN_DELAY, super::MAX_DELAY).div_ceil(LOOK);
    }

    /// Takes up a look; whether the button is drawn differently now. `timed`: as long after the one before as they are
    /// apart; other looks find out what is wrong, and take no time.
    pub(super) fn look(&mut self, look: Look, timed: bool) -> bool {
        let before = self.is_armed();
        let stays = match (self.last, look) {
            (Some(Look::At(was)), Look::At(is)) => was.iter().zip(is).all(|(was, is)| was.abs_diff(is) <= 1),
            _ => false,
        };
        if stays {
            self.steady += u32::from(timed);
        } else {
            self.last = Some(look);
            self.disarm();
        }
        if stays && self.steady >= self.needed && !self.is_armed() {
            self.armings += 1;
            self.armed = self.armings;
        }
        before != self.is_armed()
    }

    /// Starts anew: nothing was seen yet.
    pub(super) fn renew(&mut self) {
        self.disarm();
        self.last = None;
        // A finger that is still down pressed what stood here before.
        self.pressed = self.pressed.and(Some(INERT));
    }

    fn disarm(&mut self) {
        self.steady = 0;
        self.armed = INERT;
    }

    /// Whether it acts now.
    pub(super) fn is_armed(&self) -> bool {
        self.armed != INERT
    }

    /// A finger, a pointer or a key went down on it. Who presses again and again presses on what comes next, so a button
    /// that does not act yet starts its wait anew.
    pub(super) fn press(&mut self, pointer: Option<i32>) {
        if !self.is_armed() {
            self.steady = 0;
        }
        (self.pressed, self.pointer) = (Some(self.armed), pointer);
    }

    /// The focus has left it: its keys press it no longer. A pointer that is down may still.
    pub(super) fn leave(&mut self) {
        self.pressed = self.pressed.filter(|_| self.pointer.is_some());
    }

    /// Forgets the press of a pointer that went up and will not click it, as `is_abandoned` says.
    pub(super) fn lift(&mut self, is_abandoned: impl FnOnce(i32) -> bool) {
        if self.pointer.is_some_and(is_abandoned) {
            self.pressed = None;
        }
    }

    /// Whether a key is down that went down on it.
    pub(super) fn is_pressed_by_key(&self) -> bool {
        self.pressed.is_some() && self.pointer.is_none()
    }

    /// Whether a pointer went down on it, and has clicked nothing since.
    pub(super) fn is_pressed_by_pointer(&self) -> bool {
        self.pressed.is_some() && self.pointer.is_some()
    }

    /// A click came. One that no press went before was made by assistive technology.
    pub(super) fn click(&mut self) -> Fate {
        let pressed = self.pressed.take();
        self.judge(pressed)
    }

    /// What acts without a press came, such as a shortcut. A pointer that is down stays so.
    pub(super) fn strike(&mut self) -> Fate {
        self.leave();
        let fate = self.judge(None);
        if fate == Fate::Inert {
            self.steady = 0;
        }
        fate
    }

    fn judge(&self, pressed: Option<u32>) -> Fate {
        match self.last {
            Some(Look::Covered) => Fate::Covered,
            _ if self.is_armed() && pressed.is_none_or(|arming| arming == self.armed) => Fate::Counts,
            _ => Fate::Inert,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    const HERE: Look = Look::At([0, 0, 90, 32]);

    fn latch(delay: u32) -> Latch {
        let mut latch = Latch::default();
        latch.seal(&Seal::of(&call(1, "pay", "{}")), delay);
        latch
    }

    #[test]
    fn r26_a_button_that_stands_there_anew_is_inert_until_it_was_looked_at() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 6);
        assert!(latch.is_armed());
        latch.press(None);
        latch.renew();
        assert_eq!(latch.click(), Fate::Inert);
        looks(&mut latch, HERE, 5);
        assert!(!latch.is_armed());
        looks(&mut latch, HERE, 1);
        assert_eq!(latch.click(), Fate::Counts);
    }

    fn looks(latch: &mut Latch, look: Look, times: u32) {
        for _ in 0..times {
            latch.look(look, true);
        }
    }

    #[test]
    fn r26_it_arms_when_it_stood_still_long_enough() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 5);
        assert_eq!(latch.click(), Fate::Inert);
        looks(&mut latch, HERE, 1);
        assert_eq!(latch.click(), Fate::Counts);
    }

    #[test]
    fn r26_the_delay_is_never_below_300_nor_above_3000_milliseconds() {
        for (given, looks_needed) in [(0, 3), (700, 7), (60_000, 30)] {
            let mut latch = latch(given);
            looks(&mut latch, HERE, looks_needed);
            assert!(!latch.is_armed(), "{given}");
            looks(&mut latch, HERE, 1);
            assert!(latch.is_armed(), "{given}");
        }
    }

    #[test]
    fn r26_who_presses_without_a_pause_arms_nothing() {
        for press in [
            |latch: &mut Latch| latch.press(Some(1)),
            |latch: &mut Latch| assert_eq!(latch.strike(), Fate::Inert),
        ] {
            let mut latch = latch(500);
            for _ in 0..10 {
                looks(&mut latch, HERE, 4);
                press(&mut latch);
            }
            assert!(!latch.is_armed());
            looks(&mut latch, HERE, 5);
            assert!(latch.is_armed());
        }
    }

    #[test]
    fn r26_what_moves_is_covered_or_leaves_starts_anew() {
        for disturbance in [Look::At([0, 40, 90, 32]), Look::Covered, Look::Away] {
            let mut latch = latch(500);
            looks(&mut latch, HERE, 6);
            assert!(latch.look(disturbance, true));
            looks(&mut latch, HERE, 5);
            assert!(!latch.is_armed());
            looks(&mut latch, HERE, 1);
            assert!(latch.is_armed());
        }
    }

    #[test]
    fn r26_looks_out_of_turn_do_not_arm_it_sooner() {
        let mut latch = latch(500);
        for _ in 0..50 {
            latch.look(HERE, false);
        }
        assert!(!latch.is_armed());
    }

    #[test]
    fn r26_another_seal_disarms() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 6);
        latch.seal(&Seal::of(&call(2, "pay", "{}")), 500);
        assert_eq!(latch.click(), Fate::Inert);
    }

    #[test]
    fn r27_a_press_that_began_before_it_was_armed_does_not_count() {
        let mut latch = latch(500);
        latch.press(None);
        looks(&mut latch, HERE, 6);
        assert_eq!(latch.click(), Fate::Inert);
        latch.press(None);
        assert_eq!(latch.click(), Fate::Counts);
    }

    #[test]
    fn r27_a_press_of_an_earlier_arming_does_not_count() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 6);
        latch.press(None);
        looks(&mut latch, Look::Away, 1);
        looks(&mut latch, HERE, 6);
        assert_eq!(latch.click(), Fate::Inert);
    }

    #[test]
    fn r27_a_press_of_what_stood_there_before_does_not_count() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 6);
        latch.press(None);
        latch.seal(&Seal::of(&call(2, "pay", "{}")), 500);
        looks(&mut latch, HERE, 6);
        assert!(latch.is_armed());
        assert_eq!(latch.click(), Fate::Inert);
        latch.press(None);
        assert_eq!(latch.click(), Fate::Counts);
    }

    #[test]
    fn r27_a_pointer_that_went_up_elsewhere_leaves_no_press() {
        let mut latch = latch(500);
        latch.press(Some(1));
        looks(&mut latch, HERE, 6);
        assert!(!latch.is_pressed_by_key() && latch.is_pressed_by_pointer());
        latch.lift(|pointer| pointer == 2);
        assert_eq!(latch.click(), Fate::Inert);
        assert!(!latch.is_pressed_by_pointer());
        latch.renew();
        latch.press(Some(1));
        looks(&mut latch, HERE, 6);
        latch.lift(|pointer| pointer == 1);
        assert_eq!(latch.click(), Fate::Counts);
    }

    #[test]
    fn r27_a_key_presses_nothing_once_the_focus_has_left() {
        let mut latch = latch(500);
        latch.press(None);
        assert!(latch.is_pressed_by_key() && !latch.is_pressed_by_pointer());
        latch.lift(|_| true);
        assert!(latch.is_pressed_by_key());
        latch.leave();
        assert!(!latch.is_pressed_by_key());
        looks(&mut latch, HERE, 6);
        assert_eq!(latch.click(), Fate::Counts);
    }

    #[test]
    fn r27_a_pointer_that_is_down_stays_so_without_the_focus_and_through_a_shortcut() {
        let mut latch = latch(500);
        latch.press(Some(1));
        latch.leave();
        looks(&mut latch, HERE, 6);
        assert_eq!(latch.strike(), Fate::Counts);
        assert_eq!(latch.click(), Fate::Inert);
    }

    #[test]
    fn r30_a_click_on_what_is_covered_is_told_as_such() {
        let mut latch = latch(500);
        looks(&mut latch, HERE, 6);
        latch.look(Look::Covered, false);
        assert_eq!(latch.click(), Fate::Covered);
    }
}
