// What the simulated agents do, whatever wire they speak: `delete` and `transfer` ask, everything else is talked about. With the word
// `nested` the call is made by another agent, and is not in the conversation; with `again` its tool asks a second time.

/** The call that words lead to, if any. The reference is larger than 2^53, so it stands as text in `argsText`. */
export function callFor(words) {
  if (words.includes("transfer")) {
    const argsText = '{"to_account":"DE02-1203-0000","amount":1250.00,"currency":"EUR","reference":2512292042121000001}';
    return { name: "transfer_funds", argsText };
  }
  if (words.includes("delete")) return { name: "delete_file", argsText: '{"path":"/srv/reports/2025.csv"}' };
  return undefined;
}

/** What the agent says once it is known what became of the call. */
export const closing = (call, approved, reason) =>
  approved ? `Done: ${call.name} ran as you saw it.` : `I left it alone${reason ? `, because: ${reason}` : ""}.`;

/** The pieces in which a text is spoken. */
export const pieces = (text) => text.match(/\S+\s*/g) ?? [];

/** JSON text in which `"@raw@…@"`, made by {@link raw}, stands as it is: numbers keep their digits. */
export const raw = (text) => `@raw@${Buffer.from(text).toString("base64")}@`;
export const json = (value) =>
  JSON.stringify(value).replace(/"@raw@([^@]*)@"/g, (_, text) => Buffer.from(text, "base64").toString());
