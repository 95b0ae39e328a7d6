//! Moments as the wire spells them.

use countersign_core::Millis;

const DAY: u64 = 86_400_000;

/// The moment in the form `2026-11-20T15:59:19.417000`, without a time zone.
pub(crate) fn timestamp(moment: Millis) -> String {
    let (year, month, day) = civil(moment.0 / DAY);
    let rest = moment.0 % DAY;
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}000")
}

/// Year, month and day of the day with this number, counted from 1970-01-01.
///
/// Eras of 400 years that begin in March, so that the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_the_calendar() {
        let check = |millis, expected| assert_eq!(timestamp(Millis(millis)), expected);
        check(0, "1970-01-01T00:00:00.000000");
        check(951_782_399_999, "2000-02-28T23:59:59.999000");
        check(951_782_400_000, "2000-02-29T00:00:00.000000");
        check(1_795_190_359_417, "2026-11-20T15:59:19.417000");
    }
}
