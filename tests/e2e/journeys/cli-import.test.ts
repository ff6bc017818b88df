import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliStack, runCli, startCliStack, stopAll } from '../../harness/index.ts';
import { connect, node } from '../../harness/import-n8n.ts';

let stack: CliStack;
let env: Readonly<Record<string, string>>;
let file: string;

const ORDERS = {
  name: 'Orders',
  nodes: [
    node('Start', 'manualTrigger'),
    node('Total', 'set', {
      assignments: { assignments: [{ name: 'total', type: 'number', value: '={{ $json.amount * 2 }}' }] },
      includeOtherFields: true,
    }),
    node('Is big', 'if', {
      conditions: {
        combinator: 'and',
        conditions: [
          { leftValue: '={{ $json.total }}', rightValue: 100, operator: { type: 'number', operation: 'gt' } },
        ],
      },
    }),
    node('Tell us \u001b[2J', 'telegram', { text: '={{ $json.total }}' }),
  ],
  connections: connect('Start > Total', 'Total > Is big', 'Is big > Tell us \u001b[2J'),
  settings: { executionOrder: 'v1' },
};

beforeAll(async () => {
  stack = await startCliStack();
  env = stack.cliEnv;
  file = join(env.XDG_CONFIG_HOME!, 'orders.json');
  await writeFile(file, JSON.stringify(ORDERS));
});
afterAll(stopAll);

describe('deckhand import n8n', () => {
  it('creates a draft that runs as in n8n, up to the stub of a node that is not converted', async () => {
    const { exitCode, stdout } = await runCli(['import', 'n8n', file, '--json'], env);
    expect(exitCode).toBe(0);
    const { id, notes } = JSON.parse(stdout) as { id: string; notes: { node: string; level: string }[] };
    expect(notes.map(({ level }) => level)).toEqual(['converted', 'converted', 'converted', 'manual']);
    const run = (amount: number) =>
      runCli(['run', id, '--input', JSON.stringify({ amount }), '--follow', '--json'], env);
    expect((await run(20)).exitCode).toBe(0);
    const failed = await run(60);
    expect(failed.exitCode).toBe(10);
    expect(failed.stdout).toContain('of n8n is not converted: there is no such node here');
  });

  it('prints what people have to do, and reads the standard input', async () => {
    const args = ['import', 'n8n', '-', '--name', 'Copied'];
    const { exitCode, stdout } = await runCli(args, env, JSON.stringify({ ...ORDERS, tags: [{ name: 'shop' }] }));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^manual +there is no such node here: telegram +Tell us \\u001b\[2J *$/m);
    expect(stdout).toContain('The workflow has the tags shop, which are left out.');
    expect(stdout).toMatch(
      /^4 nodes: 3 converted, 0 to review, 1 manual\.\nCreated the draft Copied \([0-9a-f-]+\)\.$/m,
    );
  });

  it('prints again what is left to do, until the report is dismissed', async () => {
    const report = (...args: string[]) => runCli(['import', 'report', 'Copied', ...args], env);
    const { exitCode, stdout } = await report();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^manual +there is no such node here: telegram +Tell us \\u001b\[2J *$/m);
    expect(stdout).toMatch(/^1 to do, 0 done\.$/m);
    expect((await report('--dismiss')).stdout).toBe('The report was dismissed.\n');
    expect((await report()).exitCode).not.toBe(0);
  });

  it('creates nothing with --dry-run, and for what is not a workflow', async () => {
    const count = async () =>
      (await stack.say<{ total: number }>('GET', `/api/workflows?workspaceId=${stack.workspaceId}`)).total;
    const before = await count();
    const { exitCode, stdout } = await runCli(['import', 'n8n', file, '--dry-run', '--json'], env);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { definition: { nodes: [{ id: 'start' }, {}, {}, {}] } }]);
    expect((await runCli(['import', 'n8n', '[]'], env)).exitCode).toBe(2);
    const refused = await runCli(['import', 'n8n', '{"nodes":1}'], env);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('workflow: has no list of nodes') });
    expect(await count()).toBe(before);
  });
});
