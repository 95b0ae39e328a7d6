// Histories of any length, as the two generations of kagent store them: gated and ungated calls over many tasks,
// approved, rejected, in mixed batches, and at the end some that still wait. The same arguments give the same bytes.

const HITL = "https://kagent.dev/extensions/hitl/v1";
const CONTEXT = "ctx-3f6cb6c6a7074";
/** Calls of one task; the last third of a task's calls is not gated. */
const CALLS = 6;
const GATED = 4;
/** One task in so many still waits. */
const WAITING_EVERY = 20;

/** A history with `calls` tool calls, as JSON text. `dialect` is `a2a` (kagent 0.10, A2A 0.3) or `a2a-v1` (hitl/v1, A2A 1.0). */
export function history(calls, dialect) {
  const random = numbers(calls * 2 + (dialect === "a2a" ? 0 : 1));
  const tasks = [];
  for (let left = calls; left > 0; left -= CALLS) {
    const story = makeStory(Math.min(CALLS, left), tasks.length, random);
    tasks.push(dialect === "a2a" ? taskOf03(story) : taskOf10(story));
  }
  if (dialect === "a2a") return JSON.stringify({ error: false, data: tasks, message: "" });
  // ListTasks gives the newest task first.
  return JSON.stringify({ jsonrpc: "2.0", id: "req-1", result: { tasks: tasks.reverse(), nextPageToken: "", pageSize: tasks.length, totalSize: tasks.length } });
}

/** What happened in one task, whatever the wire. */
function makeStory(count, place, random) {
  const id = () => uuid(random);
  const waiting = place % WAITING_EVERY === WAITING_EVERY - 1;
  const calls = Array.from({ length: count }, (_, at) => {
    const gated = at < GATED;
    const rejected = gated && random() % 4 === 0;
    const [tool, args, result] = TOOLS[random() % TOOLS.length](random);
    return { id: `adk-${id()}`, request: gated ? `adk-${id()}` : undefined, tool, args, result, rejected, reason: rejected && random() % 2 ? "not on a Friday" : undefined };
  });
  return { task: id(), invocation: `e-${id()}`, calls, waiting, id, second: place % 60, number: place };
}

const TOOLS = [
  (random) => {
    const path = `/srv/data/${uuid(random)}/report-${random() % 1000}.csv`;
    return ["delete_file", { path, recursive: false }, { status: "ok", deleted: path }];
  },
  (random) => {
    const to = `person${random() % 500}@example.com`;
    return ["send_email", { to, subject: "Weekly report", body: `Hello,\n\nthe report for week ${random() % 52} is ready: "all green", nothing to do.\n` }, { status: "ok", queued_for: to }];
  },
  (random) => {
    const amount = (random() % 100000) / 4;
    return ["transfer_funds", { to_account: `DE00-${random() % 10000}`, amount, currency: "EUR" }, { status: "ok", transferred: amount }];
  },
  (random) => {
    const namespace = `team-${random() % 40}`;
    const pods = Array.from({ length: 3 }, () => ({ name: `api-${random().toString(36)}`, phase: "Running", restarts: random() % 3 }));
    return ["k8s_get_resources", { kind: "Pod", namespace, labels: { app: "api", tier: "backend" }, limit: 20 }, { items: pods }];
  },
  (random) => {
    const query = `SELECT id, total FROM orders WHERE customer = ${random()} AND state IN ('open', 'held')`;
    return ["run_query", { query, parameters: [random() % 10, null, true] }, { rows: random() % 90, truncated: false }];
  },
];

const outcome = ({ rejected, reason, result }) =>
  rejected ? { result: `Tool call was rejected by user.${reason ? ` Reason: ${reason}` : ""}` } : result;
const sentence = (calls) => `Done. ${calls.map(({ tool, rejected }) => `${tool} -> ${rejected ? "rejected" : "ok"}`).join("; ")}`;
const stamp = ({ second }) => `2026-11-20T15:59:${String(second).padStart(2, "0")}.944014+00:00`;

function taskOf03(story) {
  const { calls, task, invocation, id, waiting } = story;
  const gated = calls.filter(({ request }) => request);
  const metadata = (usage) => ({
    kagent_adk_partial: null,
    kagent_app_name: "ops_agent",
    kagent_user_id: `A2A_USER_${CONTEXT}`,
    kagent_session_id: CONTEXT,
    kagent_invocation_id: invocation,
    kagent_author: "ops_agent",
    ...(usage ? { kagent_usage_metadata: { candidatesTokenCount: 5, promptTokenCount: 10, totalTokenCount: 15 } } : {}),
  });
  const message = (role, parts, extra) => ({ contextId: CONTEXT, kind: "message", messageId: id(), metadata: extra, parts, role, taskId: task });
  const agent = (parts, usage) => message("agent", parts, metadata(usage));
  const user = (parts) => message("user", parts, { timestamp: 1790000000000 });
  const text = (words) => ({ kind: "text", text: words });
  const response = (call) => ({
    data: { id: call.id, name: call.tool, response: outcome(call) },
    kind: "data",
    metadata: { kagent_type: "function_response" },
  });
  const asked = user([text(`please do job ${story.number}`)]);
  const proposed = agent(
    [
      text("I will do that now."),
      ...calls.map((call) => ({ data: { id: call.id, args: call.args, name: call.tool }, kind: "data", metadata: { kagent_type: "function_call" } })),
    ],
    true,
  );
  const confirmation = agent(
    gated.map((call) => ({
      data: {
        id: call.request,
        args: {
          originalFunctionCall: { id: call.id, args: call.args, name: call.tool },
          toolConfirmation: { hint: `Tool '${call.tool}' requires approval before execution.`, confirmed: false },
        },
        name: "adk_request_confirmation",
      },
      kind: "data",
      metadata: { kagent_type: "function_call", kagent_is_long_running: true },
    })),
  );
  // What was asked and the confirmation are stored twice.
  const history = [asked, asked, proposed, confirmation, confirmation];
  const base = { contextId: CONTEXT, history, id: task, kind: "task", metadata: metadata(true) };
  if (waiting) return { ...base, status: { message: confirmation, state: "input-required", timestamp: stamp(story) } };
  history.push(user([{ data: decisionOf03(gated), kind: "data", metadata: {} }, text("Decided")]));
  history.push(agent(calls.map(response)), agent([text(sentence(calls))], true));
  const artifacts = [{ artifactId: id(), parts: [text(sentence(calls))] }];
  return { artifacts, ...base, status: { state: "completed", timestamp: stamp(story) } };
}

function decisionOf03(gated) {
  if (gated.every(({ rejected }) => !rejected)) return { decision_type: "approve" };
  const reasons = gated.filter(({ reason }) => reason);
  return {
    decision_type: "batch",
    decisions: Object.fromEntries(gated.map(({ id, rejected }) => [id, rejected ? "reject" : "approve"])),
    ...(reasons.length > 0 ? { rejection_reasons: Object.fromEntries(reasons.map(({ id, reason }) => [id, reason])) } : {}),
  };
}

function taskOf10(story) {
  const { calls, task, invocation, id, waiting } = story;
  const gated = calls.filter(({ request }) => request);
  const artifact = (parts, usage) => ({
    artifactId: id(),
    parts,
    metadata: {
      adk_invocation_id: invocation,
      adk_actions: { stateDelta: {} },
      adk_author: "ops_agent",
      adk_event_id: id(),
      ...(usage ? { adk_usage_metadata: { promptTokenCount: 10, totalTokenCount: 15, candidatesTokenCount: 5 } } : {}),
    },
    name: "",
    description: "",
    extensions: [],
  });
  const part = (content) => ({ ...content, filename: "", mediaType: "" });
  const response = (call, content) => part({ data: { id: call.id, name: call.tool, response: content }, metadata: { adk_type: "function_response" } });
  const message = (role, rest) => ({ messageId: id(), contextId: CONTEXT, taskId: task, role, ...rest, referenceTaskIds: [] });
  const asked = message("ROLE_USER", { parts: [part({ text: `please do job ${story.number}` })], extensions: [] });
  const hint = `Tool '${gated[0]?.tool}' requires approval before execution.`;
  const tools = gated.map((call) => ({ args: call.args, id: call.request, name: call.tool, call_id: call.id }));
  const request = message("ROLE_AGENT", {
    parts: [part({ text: hint })],
    metadata: { [HITL]: { type: "tool_approval_request", hint, tools } },
    extensions: [HITL],
  });
  const artifacts = [
    artifact(
      [
        part({ text: "I will do that now." }),
        ...calls.map((call) => part({ data: { args: call.args, id: call.id, name: call.tool }, metadata: { adk_type: "function_call" } })),
      ],
      true,
    ),
    artifact(gated.map((call) => response(call, { status: "confirmation_requested", tool: call.tool }))),
  ];
  const base = { id: task, contextId: CONTEXT, metadata: { kagent_app_name: "ops_agent", kagent_session_id: CONTEXT, kagent_invocation_id: invocation } };
  if (waiting) {
    return { ...base, status: { state: "TASK_STATE_INPUT_REQUIRED", message: request, timestamp: stamp(story) }, artifacts, history: [asked] };
  }
  const approvals = gated.map(({ request: id, rejected, reason }) => ({ id, approved: !rejected, ...(reason ? { rejection_reason: reason } : {}) }));
  const answer = message("ROLE_USER", {
    parts: [part({ text: "Decided" })],
    metadata: { [HITL]: { type: "tool_approval_response", approvals }, timestamp: 1790000000000 },
    extensions: [HITL],
  });
  artifacts.push(artifact(calls.map((call) => response(call, outcome(call)))), artifact([part({ text: sentence(calls) })], true));
  return { ...base, status: { state: "TASK_STATE_COMPLETED", timestamp: stamp(story) }, artifacts, history: [asked, request, answer] };
}

/** A stream of numbers below 2^32 that is always the same (xorshift). */
function numbers(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

function uuid(random) {
  const digits = Array.from({ length: 4 }, () => random().toString(16).padStart(8, "0")).join("");
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`, digits.slice(20)].join("-");
}
