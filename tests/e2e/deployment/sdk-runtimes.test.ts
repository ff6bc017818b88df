import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClients } from '../../harness/built.ts';
import { chain, type CliStack, describeUnless, startCliStack, stopAll, stopLater } from '../../harness/index.ts';

const run = promisify(execFile);

/** Run-times beside Node, as npm has them. They are installed here alone, because they have 200 MB. */
const PACKAGES = ['@oven/bun-linux-x64@1.4.5', '@deno/linux-x64-glibc@2.9.6'];
/** Command lines that run `main.mjs`, from the folder with the run-times. */
const COMMANDS = [
  ['Bun', ['node_modules/@oven/bun-linux-x64/bin/bun', 'main.mjs']],
  ['Deno', ['node_modules/@deno/linux-x64-glibc/deno', 'run', '--allow-env', '--allow-net', 'main.mjs']],
] as const;

const folder = await mkdtemp(join(tmpdir(), 'deckhand-runtimes-'));
await writeFile(join(folder, 'package.json'), '{ "name": "empty", "type": "module", "private": true }');
const missing = await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], {
  cwd: folder,
}).then(
  () => undefined,
  (error: unknown) => `Bun and Deno cannot be installed: ${String(error).split('\n', 1)[0]}`,
);

let stack: CliStack;

beforeAll(async () => {
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  stack = await startCliStack();
  const { sdk } = await packClients();
  await run('npm', ['install', '--offline', '--no-save', '--no-audit', '--no-fund', sdk], { cwd: folder });
  const readme = await readFile(join(REPOSITORY, 'README.md'), 'utf8');
  const [, program = ''] = /```js\n(import \{ createDeckhand[^]*?)\n```/.exec(readme) ?? [];
  await writeFile(join(folder, 'main.mjs'), program);
});
afterAll(stopAll);

describeUnless(missing)('the program with the SDK in README.md', () => {
  it.each(COMMANDS)('starts a run, follows it, and gets its result under %s', async (_name, [command, ...args]) => {
    const workflowId = await stack.createWorkflow(
      'Refund',
      chain(
        { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
        { id: 'end', type: 'terminal', parameters: { body: '{{ $input.total }}' } },
      ),
    );
    const env = { PATH: '', DECKHAND_URL: stack.url, DECKHAND_API_KEY: stack.key, WORKFLOW_ID: workflowId };
    const { stdout } = await run(join(folder, command), args, { cwd: folder, env: { ...env, HOME: folder } });
    expect(stdout.trim().split('\n').slice(-2)).toEqual(['success', '240']);
  });
});
