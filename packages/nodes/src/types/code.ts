import type { Fault } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { findReferences } from '../code/find-references.js';
import { parseSource } from '../code/parse-source.js';

const TIMEOUT_MS = 10_000;
const TIMEOUT_MAX_MS = 60_000;
const MEMORY_BYTES = 67_108_864;

export default defineNodeType({
  type: 'code',
  title: 'Code',
  description:
    'Runs JavaScript and answers what it returns. It sees `$trigger`, `$input`, `$nodes`, `$loop`, `$vars`, `$execution` and `$now` as expressions do, as a copy: changing them changes nothing. It may `await` promises; there are no modules, timers, network or files. What it returns becomes JSON, as JSON.stringify does it: no value is null, functions are left out, a BigInt or a cycle is an error. It may take 10 s, or the `timeoutSeconds` of the node up to 60, use 64 MiB of memory, and return 10 MiB. What it writes with `console` is kept in debug mode: 200 lines, 64 KiB. `Date` is the present time in UTC; since the node acts on nothing outside, it is run again after a crash, and runs in sandbox mode too. An error fails it with `CODE_FAILED` and the line, a limit with `CODE_LIMIT`, neither of which is tried again, or with `NODE_TIMEOUT`.',
  category: 'data',
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
  verbatim: ['source'],
  check({ source }): Fault[] {
    if (typeof source !== 'string') return [];
    const parsed = parseSource(source);
    return 'fault' in parsed ? [{ path: 'source', message: parsed.fault }] : [];
  },
  references: ({ source }) => findReferences(typeof source === 'string' ? source : ''),
  run({ source }, context) {
    return context.services.code.run({
      source,
      names: context.names(),
      workspaceId: context.workspaceId,
      executionId: context.executionId,
      timeoutMs: Math.min(context.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MAX_MS),
      memoryBytes: MEMORY_BYTES,
      keepsConsole: context.mode === 'debug',
      signal: context.signal(),
    });
  },
});
