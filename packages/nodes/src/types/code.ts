import type { ValidationIssue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { findReferences } from '../code/find-references.ts';
import { warnOfNamesOfN8n } from '../code/names-of-n8n.ts';
import { parseSource } from '../code/parse-source.ts';

const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
const MEMORY_BYTES = 67_108_864;

export default defineNodeType({
  type: 'code',
  title: 'Code',
  description:
    'Runs JavaScript and returns its result. The script sees `$trigger`, `$input`, `$nodes`, `$loop`, `$links`, `$vars`, `$execution` and `$now` as expressions do, as a copy: changing them changes nothing. It may `await` promises; there are no modules, timers, network or files. Its return value becomes JSON, as by JSON.stringify: undefined becomes null, functions are left out, a BigInt or a cycle is an error. It may run for 10 s, or for the `timeoutSeconds` of the node up to 60, use 64 MiB of memory, and return 10 MiB. Output of `console` is kept in debug mode: 200 lines, 64 KiB. `Date` is the current time in UTC. `toLocaleString`, `localeCompare`, their like and `Intl` give the results of a browser, with `en-US` and UTC unless the script names a language and a time zone; `Intl.Locale` and `Intl.DurationFormat` fail with an error. A script may use 500 combinations of languages and options. The node has no effects outside, so it runs again after a crash, and also in sandbox mode. An error fails it with `CODE_FAILED` and the line, a limit with `CODE_LIMIT`, neither of which is retried, or with `NODE_TIMEOUT`.',
  keywords: ['javascript', 'js', 'script', 'function', 'program', 'custom', 'reduce', 'calculate'],
  category: 'data',
  icon: 'code-xml',
  hasEffects: false,
  parameters: Type.Object(
    {
      source: Type.String({
        minLength: 1,
        maxLength: 100_000,
        contentMediaType: 'text/javascript',
        description: 'The body of an asynchronous function, in strict mode; `{{ }}` has no meaning in it',
      }),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { source: 'code' } },
  verbatim: ['source'],
  check({ source }): ValidationIssue[] {
    if (typeof source !== 'string') return [];
    const parsed = parseSource(source);
    return 'issue' in parsed ? [{ path: 'source', message: parsed.issue }] : [];
  },
  warn: ({ source }) => warnOfNamesOfN8n(source),
  references: ({ source }) => findReferences(typeof source === 'string' ? source : ''),
  errors: ['CODE_FAILED', 'CODE_LIMIT'],
  run({ source }, context) {
    return context.services.code.run({
      source,
      names: context.names(),
      workspaceId: context.workspaceId,
      executionId: context.executionId,
      timeoutMs: Math.min(context.timeoutMs ?? TIMEOUT_MS, MAX_TIMEOUT_MS),
      memoryBytes: MEMORY_BYTES,
      keepsConsole: context.mode === 'debug',
      signal: context.signal(),
    });
  },
  example: {
    trigger: {
      orders: [
        { sku: 'A', price: 10 },
        { sku: 'B', price: 4 },
        { sku: 'A', price: 6 },
      ],
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'totals',
          type: 'code',
          parameters: {
            source:
              'const totals = {};\nfor (const { sku, price } of $trigger.orders) {\n  totals[sku] = (totals[sku] ?? 0) + price;\n}\nreturn totals;',
          },
        },
        {
          id: 'text',
          type: 'code',
          parameters: {
            source:
              "const lines = Object.entries($nodes.totals.output).map(([sku, total]) => `${sku}: ${total * $vars.rate}`);\nreturn { text: lines.join(', ') };",
          },
        },
      ],
      edges: [
        { source: 'start', target: 'totals' },
        { source: 'totals', target: 'text' },
      ],
    },
    vars: { rate: 2 },
    outputs: { totals: { A: 16, B: 4 }, text: { text: 'A: 32, B: 8' } },
  },
});
