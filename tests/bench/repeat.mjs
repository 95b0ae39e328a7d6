// Histories of any length made of one recorded conversation, repeated with other ids: real shapes, the same bytes each time.

/** Identifiers as the frameworks write them; what stands behind `adk-` or `call_` is one of these too. */
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|\bcall_[0-9a-z_]+/g;

/** For each adapter: the recording, which `restore` step of it, how many calls that holds, and where its list is. */
export const RECORDINGS = {
  adk: { file: "adk/adk-deepagents--batch-mixed.json", step: -1, calls: 3, list: "events" },
  haystack: { file: "haystack/ws--identical-calls.json", step: -1, calls: 2 },
  adalflow: { file: "adalflow/ws--proceed-always-second-not-asked.json", step: -1, calls: 3 },
  // Only what waits makes cards there: the long transcript stands before three calls that wait.
  langgraph: { file: "langgraph/hitl-python--batch-mixed.json", step: 0, calls: 4, transcript: "values.messages" },
};

/** A history with about `calls` tool calls, as JSON text. `steps` are the recording's histories. */
export function repeat({ step, calls: each, list, transcript }, steps, calls) {
  const source = steps.at(step);
  const rounds = Math.max(1, Math.round(calls / each));
  if (transcript) {
    const done = steps.at(-1);
    const messages = again((Array.isArray(done) ? done[0] : done).values.messages, rounds);
    return JSON.stringify({ ...source, values: { ...source.values, messages: [...messages, ...source.values.messages] } });
  }
  const items = again(list ? source[list] : source, rounds);
  return JSON.stringify(list ? { ...source, [list]: items } : items);
}

/** The items of a list so many times, each time with other identifiers. */
function again(items, rounds) {
  const text = JSON.stringify(items).slice(1, -1);
  const parts = Array.from({ length: rounds }, (_, round) => text.replace(IDS, (id) => other(id, round)));
  return JSON.parse(`[${parts.join(",")}]`);
}

/** Another identifier of the same form for each round; the first round keeps its own. */
function other(id, round) {
  if (round === 0) return id;
  const number = round.toString(16).padStart(7, "0");
  return id.startsWith("call_") ? `${id}_${number}` : `${number}${id.slice(7)}`;
}
