// Waiting for something to become true.

/** Repeats `check` until it no longer throws, and returns its value; after `milliseconds` its last error is thrown. */
export async function eventually(check, milliseconds = 20_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= end) throw error;
    }
    await pause(50);
  }
}

/** For what must *not* happen: lets this much time pass. */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
