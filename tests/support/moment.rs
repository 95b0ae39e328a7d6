//! Moments as traces write them.

use countersign_core::Millis;

/// When the clock of every trace starts: 2026-01-01T00:00:00Z.
pub const START: Millis = Millis(1_767_225_600_000);

/// Reads `YYYY-MM-DDThh:mm:ss[.fff]Z`.
pub fn parse(text: &str) -> Option<Millis> {
    let digits = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let fraction = text.get(19..)?.trim_end_matches('Z').trim_start_matches('.');
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    // Days since the epoch, with the year beginning in March so that the leap day stands last.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1 - 719_468;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    u64::try_from(seconds * 1000 + millis).ok().map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_where_traces_start() {
        assert_eq!(parse("2026-01-01T00:00:00Z"), Some(START));
        assert_eq!(parse("2026-03-01T00:00:00.5Z"), Some(Millis(1_772_323_200_500)));
    }
}
