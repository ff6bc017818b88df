import { afterAll, describe, expect, it } from '@jest/globals';
import type { ScriptResult } from '@deckhand/engine';
import { hostileScripts, type HostileScript } from '../../../../tests/harness/hostile-scripts.ts';
import { createScriptRunner } from './runner.ts';
import { script } from '../../../../tests/harness/scripts.ts';

/** Time enough for scripts that end; all others have to be stopped anyway. */
const TIMEOUT_MS = 250;

const runner = createScriptRunner({ threads: 2 });
afterAll(() => runner.close());

/** The outcome of a script, in the words of the table. */
function endOf(result: ScriptResult): HostileScript['ends'][number] {
  if (result.kind === 'output') return { output: result.output };
  if (result.failure.code === 'CODE_LIMIT') return 'limit';
  return result.failure.code === 'NODE_TIMEOUT' ? 'late' : 'failed';
}

describe('a script cannot leave its sandbox', () => {
  it.each(hostileScripts.map((entry) => [entry.what, entry] as const))('%s', async (_what, { source, ends }) => {
    const result = await runner.run(script(source, { timeoutMs: TIMEOUT_MS, keepsConsole: true }));
    expect(ends).toContainEqual(endOf(result));
    expect(JSON.stringify(result.console).length).toBeLessThan(80_000);
    if (result.kind === 'failure') {
      expect(result.failure.message).not.toMatch(/file:|\/dist\/|\.js\b|undefined$/);
      expect(result.failure.message.length).toBeLessThan(2_100);
    }
    // The next script finds an intact sandbox.
    const next = await runner.run(
      script('return [$input.a, typeof polluted, typeof out, [].toJSON]', { names: { $input: { a: 1 } } }),
    );
    expect(next).toEqual({ kind: 'output', output: [1, 'undefined', 'undefined', null], console: [] });
  });

  it('and nothing of the process was touched by all that', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
    expect('out' in globalThis).toBe(false);
  });
});
