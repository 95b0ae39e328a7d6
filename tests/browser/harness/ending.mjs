// What is closed at the end of a test: what came last goes first, as a page before the server that it asks.

const endings = new WeakMap();

/** Closes this at the end of test `t`, before all that the test had opened when this was called. */
export function atEnd(t, close) {
  const known = endings.get(t);
  if (known) {
    known.push(close);
    return;
  }
  const all = [close];
  endings.set(t, all);
  t.after(async () => {
    for (const each of all.reverse()) await each();
  });
}
