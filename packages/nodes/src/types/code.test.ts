import { describe, expect, it } from '@jest/globals';
import { compileWorkflow, type Script } from '@deckhand/engine';
import { edges, runInMemory } from '../../../../tests/harness/engine.ts';
import { chain } from '../../../../tests/harness/seed.ts';
import { createScriptRunner } from '../code/runner.ts';
import { loadNodeTypes } from '../load-node-types.ts';

const code = (source: string, more: object = {}) => ({ id: 'code', type: 'code', parameters: { source }, ...more });

/** Runs a workflow with a real runner, and records the scripts. */
async function runWith(definition: unknown, options: Parameters<typeof runInMemory>[1] = {}) {
  const runner = createScriptRunner({ threads: 1 });
  const scripts: Script[] = [];
  try {
    const run = await runInMemory(definition, {
      ...options,
      services: {
        code: {
          run(script) {
            scripts.push(script);
            return runner.run(script);
          },
        },
      },
    });
    return { ...run, scripts };
  } finally {
    await runner.close();
  }
}

describe('a code node', () => {
  it('sees the names of expressions, and is handed only those that it mentions', async () => {
    const run = await runWith(
      {
        nodes: [
          { id: 'start', type: 'trigger.manual' },
          { id: 'a', type: 'set', parameters: { fields: { n: 1 } } },
          { id: 'b', type: 'set', parameters: { fields: { n: 2 } } },
          code('return [$trigger.t, $input, $nodes.a.output.n, $vars.v, $execution, $now]'),
        ],
        edges: edges('start -> a', 'a -> b', 'b -> code'),
      },
      { trigger: { t: 't' }, vars: { v: 'v', secret: 's' } },
    );
    expect(run.last.get('code/')?.output).toEqual([
      't',
      { n: 2 },
      1,
      'v',
      { id: 'run', mode: 'normal' },
      expect.stringMatching(/^1970-01-01T00:00:0\d\.\d{3}Z$/),
    ]);
    expect(run.scripts[0]?.names.$nodes).toEqual({ a: { output: { n: 1 } } });

    const other = await runWith(chain(code('return 1')), { vars: { secret: 's' } });
    expect(other.scripts[0]?.names).toEqual({});
  });

  it('that computes which node it reads is handed all that it may see', async () => {
    const { last } = await runWith({
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'yes', type: 'if', parameters: { condition: false } },
        { id: 'a', type: 'set', parameters: { fields: { n: 1 } } },
        code('return Object.keys($nodes).map((id) => $nodes[id].output ?? null)'),
      ],
      edges: edges('start -> yes', 'yes.true -> a', 'yes.false -> code'),
    });
    expect(last.get('code/')?.output).toEqual([{}, {}, null, null]);
  });

  it('sees the item of its iteration', async () => {
    const { last } = await runWith({
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: [5, 6], concurrency: 2 } },
        code('return $loop.item * 10 + $loop.index'),
      ],
      edges: edges('start -> each', 'each.body -> code'),
    });
    expect(last.get('each/')?.output).toEqual([50, 61]);
  });

  it('keeps its console and what it was given in debug mode only', async () => {
    const definition = chain(
      code('console.log("{{ 1 }}", $trigger.a); throw new Error("no")', { onError: 'continue' }),
    );
    const debug = await runWith(definition, { mode: 'debug', trigger: { a: 1 } });
    expect(debug.last.get('code/')).toMatchObject({
      status: 'failed',
      error: { code: 'CODE_FAILED', message: 'no (line 1)' },
      debug: { parameters: definition.nodes[1]?.parameters, input: { a: 1 }, console: ['{{ 1 }} 1'] },
    });
    const ok = await runWith(chain(code('console.log(1)')), { mode: 'debug' });
    expect(ok.last.get('code/')).toMatchObject({ debug: { console: ['1'] } });
    const normal = await runWith(definition, { trigger: { a: 1 } });
    expect(normal.last.get('code/')?.debug).toBeUndefined();
    expect(normal.scripts[0]?.keepsConsole).toBe(false);
  });

  it('is seen to run, and runs in sandbox mode', async () => {
    const { journal, ending } = await runWith(chain(code('return 1')), { mode: 'sandbox' });
    expect(ending).toMatchObject({ kind: 'success' });
    expect(journal.filter(({ nodeId }) => nodeId === 'code').map(({ status }) => status)).toEqual([
      'running',
      'success',
    ]);
  });

  it.each([
    [undefined, 10_000],
    [30, 30_000],
    [3_600, 60_000],
  ])('with timeoutSeconds %s may take %s ms', async (timeoutSeconds, timeoutMs) => {
    const more = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    const asked: Script[] = [];
    await runInMemory(chain(code('return 1', more)), {
      services: {
        code: {
          run(script) {
            asked.push(script);
            return Promise.resolve({ kind: 'output', output: 1, console: [] });
          },
        },
      },
      // The clock of these runs ends every time-out at once, which is after the node started.
    });
    expect(asked[0]?.timeoutMs).toBe(timeoutMs);
  });

  it.each([
    ['return (1;', 'nodes[1].parameters.source', 'not JavaScript: unexpected token (line 1, column 10)'],
    ['return $nodes.nowhere.output', 'nodes[1].parameters', '$nodes.nowhere: there is no such node'],
    ['return $loop.item', 'nodes[1].parameters', '$loop is known only inside the body of a loop'],
    ['', 'nodes[1].parameters.source', 'must'],
  ])('with the source %j is refused when it is saved', async (source, path, message) => {
    const compiled = compileWorkflow(chain(code(source)), await loadNodeTypes());
    expect(compiled).toEqual({ issues: [{ path, message: expect.stringContaining(message) }] });
  });

  it('that reads $vars makes its run load them; one that does not, does not', async () => {
    const types = await loadNodeTypes();
    const usesVars = (source: string) => {
      const compiled = compileWorkflow(chain(code(source)), types);
      return 'workflow' in compiled && compiled.workflow.usesVars;
    };
    expect(usesVars('return $vars.a')).toBe(true);
    expect(usesVars('return "$vars.a"')).toBe(false);
  });
});
