//! When a conversation reads: at first, again after a fault, and while the agent works by itself.

use std::rc::{Rc, Weak};

use super::host::Host;
use super::intake::Hold;
use super::line::Line;
use super::race::{self, First};
use super::{Each, pause};

/// Reads what the backend knows until that succeeds, later each time, or nobody wants it any more. Live events wait until it was
/// tried once, from where `hold` was taken on.
pub(crate) async fn read<H: Host + 'static>(of: Weak<Line<H>>, mut hold: Option<Hold>) {
    for attempts in 0.. {
        let Some(line) = of.upgrade() else { return };
        let hold = hold.take().unwrap_or_else(|| line.intake.hold());
        let Some(found) = line.end.unless(line.read_once(hold)).await else { return };
        line.tell();
        let temporary = match found {
            Ok(known) => return attend(Rc::downgrade(&line), known).await,
            Err(fault) => fault.is_temporary(),
        };
        // One at a time comes back to it.
        if !temporary || line.retrying.replace(true) {
            return;
        }
        drop(line);
        pause::sleep(pause::jittered(attempts)).await;
        let Some(line) = of.upgrade() else { return };
        line.retrying.set(false);
    }
}

/// How often the state is read after a message that nobody answered.
const CHASES: u32 = 8;

/// Reads again for a while, later each time, as long as something is in doubt: what became of a message may show late.
pub(crate) async fn chase<H: Host + 'static>(line: &Rc<Line<H>>, is_in_doubt: impl Fn(&Line<H>) -> bool) {
    for round in 1..CHASES {
        let waited = line.end.unless(pause::sleep(pause::limit(round))).await;
        if waited.is_none() || line.is_refused() || !is_in_doubt(line) {
            return;
        }
        if line.is_at_rest() {
            read(Rc::downgrade(line), None).await;
        }
    }
}

/// The page is looked at again, or on the network again: it may have missed something. A backend that refused is left alone.
pub(crate) async fn look_again<H: Host + 'static>(of: Weak<Line<H>>) {
    if of.upgrade().is_some_and(|line| !line.is_refused()) {
        read(of, None).await;
    }
}

/// Follows what the agent does by itself, and reads what came of it, until it does nothing any more.
pub(crate) async fn attend<H: Host + 'static>(of: Weak<Line<H>>, mut known: Option<String>) {
    let Some(line) = of.upgrade() else { return };
    // One at a time does, and not beside a message of ours, whose answer says it all.
    line.unattended.set(line.sending.is_taken());
    let Some(_turn) = line.attending.try_take().filter(|_| !line.unattended.get()) else { return };
    let mut round = 0;
    loop {
        let began = (line.clock)();
        let each: Each = {
            let line = of.clone();
            Rc::new(move |text| {
                if let Some(line) = line.upgrade() {
                    line.heard(text);
                }
            })
        };
        let work = line.transport.attend(&line.name, known.as_deref(), each);
        let work = line.end.unless(race::first(work, line.online.next())).await;
        // What lasted is followed anew at once; what hangs up after a moment each time is asked ever more rarely.
        if (line.clock)().0.saturating_sub(began.0) >= u64::from(pause::LASTING) {
            round = 0;
        }
        let wait = match work {
            // Whoever says that the network is back reads, and what goes on is followed anew.
            None | Some(First::Other(())) => return,
            Some(First::One(Ok(work))) => work.wait(round),
            Some(First::One(Err(_))) => Some(pause::jittered(round)),
        };
        let Some(wait) = wait else { return };
        let again = async {
            pause::sleep(wait).await;
            line.read_once(line.intake.hold()).await
        };
        match line.end.unless(again).await {
            Some(Ok(found)) => known = found,
            Some(Err(fault)) if fault.is_temporary() => {}
            _ => return line.tell(),
        }
        round = round.saturating_add(1);
        line.tell();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;
    use crate::testing::{in_time, line, now};
    use crate::{Fault, FaultKind, Work};

    #[test]
    fn what_the_agent_does_by_itself_is_looked_for_once_the_state_is_read() {
        let (line, played) = line([Ok(None)]);
        assert_eq!(now(read(Rc::downgrade(&line), None)), Some(()));
        assert_eq!(played.attended.get(), 1);
        assert!(!line.attending.is_taken() && !line.unattended.get());
    }

    #[test]
    fn beside_a_message_of_ours_it_is_left_for_afterwards() {
        let (line, played) = line([Ok(None)]);
        let sending = line.sending.try_take();
        assert_eq!(now(read(Rc::downgrade(&line), None)), Some(()));
        assert_eq!((played.attended.get(), line.unattended.get()), (0, true));
        drop(sending);
        assert!(!line.attending.is_taken());
    }

    #[test]
    fn r10_what_is_followed_is_given_up_when_the_network_is_back() {
        let (line, played) = line([Ok(None), Ok(None)]);
        played.works.set(true);
        let mut reads = pin!(read(Rc::downgrade(&line), None));
        assert_eq!(now(reads.as_mut()), None);
        assert!(line.attending.is_taken());
        line.online.come();
        assert_eq!(now(reads.as_mut()), Some(()));
        assert!(!line.attending.is_taken());
        // Whoever says so reads, and it is followed anew.
        assert_eq!(now(read(Rc::downgrade(&line), None)), None);
        assert_eq!(played.attended.get(), 2);
    }

    #[test]
    fn r10_follow_what_lasted_is_followed_anew_at_once_and_what_hangs_up_after_a_moment_ever_more_rarely() {
        let waits = |lasts: u32, work: fn() -> Result<Work, Fault>| {
            let (line, played) = line([]);
            played.attends.borrow_mut().extend((0..6).map(|_| (lasts, work())));
            let (over, waited) = in_time(read(Rc::downgrade(&line), None));
            assert_eq!((over, played.attended.get()), (Some(()), 7));
            waited
        };
        assert_eq!(waits(4_999, || Ok(Work::GoesOn)), [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(waits(5_000, || Ok(Work::GoesOn)), [500; 6]);
        assert_eq!(waits(1_000, || Ok(Work::Ended)), [0, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(waits(5_000, || Ok(Work::Ended)), [0; 6]);
    }

    #[test]
    fn who_refuses_is_not_asked_again_and_nothing_is_attended() {
        let refused = Fault::new(FaultKind::Status(401), "no");
        let (line, played) = line([Err(refused.clone()), Ok(None)]);
        assert_eq!(now(read(Rc::downgrade(&line), None)), Some(()));
        assert_eq!((line.fault(), played.attended.get()), (Some(refused), 0));
        assert_eq!(played.histories.borrow().len(), 1);
    }

    #[test]
    fn who_refuses_is_not_asked_again_when_the_page_is_looked_at() {
        let refused = Fault::new(FaultKind::Status(403), "no");
        let histories = [Err(Fault::lost("it is away")), Ok(None), Err(refused.clone()), Ok(None), Ok(None)];
        let (line, played) = line(histories);
        let look = |left| {
            assert_eq!(now(look_again(Rc::downgrade(&line))), Some(()));
            assert_eq!(played.histories.borrow().len(), left);
        };
        let read_once = || assert!(now(line.read_once(line.intake.hold())).is_some());
        read_once();
        look(3);
        read_once();
        look(2);
        read_once();
        look(0);
        line.told(Err(refused));
        played.histories.borrow_mut().push_back(Ok(None));
        look(1);
    }

    #[test]
    fn after_the_end_nothing_is_read() {
        let (line, played) = line([Ok(None)]);
        line.end.come();
        assert_eq!(now(read(Rc::downgrade(&line), None)), Some(()));
        assert_eq!(played.histories.borrow().len(), 1);
    }
}
