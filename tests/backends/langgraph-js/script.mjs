// The script that stands in for a model, and the tools that it calls: `turns.py` and `tools.py` in JavaScript.

const SCRIPT = {
  delete: ['delete_file', { path: '/srv/reports/2025.csv' }],
  email: ['send_email', { to: 'alice@example.com', subject: 'Weekly report', body: 'The report of this week is ready.' }],
  // Larger than 2^53: JavaScript makes …1000 of it before anybody is asked.
  transfer: [
    'transfer_funds',
    { to_account: 'DE02-1203-0000', amount: 1250.5, currency: 'EUR', reference: Number('2512292042121000001') },
  ],
  read: ['read_file', { path: '/srv/reports/readme.txt' }],
};

const TOKEN = /(?<key>\w+)=(?<value>"(?:[^"\\]|\\.)*"|\S+)|(?<word>\S+)/g;

/** The turn that these words ask for after so many rounds of tool outcomes: `{ calls: [[tool, arguments]], delegated }`. */
export function nextTurn(words, rounds) {
  const stage = words.split(/\blater\b/)[rounds] ?? '';
  const [head, delegated] = stage.split(/delegate:(.*)/s);
  if (head.split(/\s+/).includes('crash')) throw new Error('the scripted model failed');
  const calls = [];
  for (const { groups } of head.matchAll(TOKEN)) {
    const args = calls.at(-1)?.[1];
    if (groups.word) {
      const known = SCRIPT[groups.word.replace(/^[.,;:!?]+|[.,;:!?]+$/g, '').toLowerCase()];
      if (known) calls.push([known[0], { ...known[1] }]);
    } else if (args && groups.key in args) {
      const isJson = groups.value.startsWith('"') || typeof args[groups.key] === 'number';
      args[groups.key] = isJson ? JSON.parse(groups.value) : groups.value;
    }
  }
  return { calls, delegated: delegated?.trim() };
}

const schema = (types) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
  required: Object.keys(types),
  additionalProperties: false,
});

/** What the agent can do: `{ description, schema, run }` by name. A schema of zod would change what it lets through. */
export const TOOLS = {
  delete_file: {
    description: 'Deletes one file.',
    schema: schema({ path: 'string' }),
    run({ path }) {
      if (path === '/missing') throw new Error(`there is no ${path}`);
      return `Deleted ${path}.`;
    },
  },
  transfer_funds: {
    description: 'Transfers money.',
    schema: schema({ to_account: 'string', amount: 'number', currency: 'string', reference: 'integer' }),
    run: ({ to_account, amount, currency, reference }) =>
      `Transferred ${amount} ${currency} to ${to_account} under ${reference}.`,
  },
  send_email: {
    description: 'Sends an e-mail.',
    schema: schema({ to: 'string', subject: 'string', body: 'string' }),
    run: ({ to, body }) => `Sent ${body.length} characters to ${to}.`,
  },
  read_file: {
    description: 'Reads one file.',
    schema: schema({ path: 'string' }),
    run: ({ path }) => `This is what stands in ${path}.`,
  },
};

/** Tools that run only after a person agreed. */
export const GATED = ['delete_file', 'transfer_funds', 'send_email'];
