import { parseOwnJson } from '@deckhand/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { packClients } from '../../harness/built.ts';
import { repositoryPath } from '../../harness/deployment/repository-file.ts';
import { type CliStack, startCliStack, stopAll, stopLater } from '../../harness/index.ts';
import { startRegistry } from '../../harness/registry.ts';

const run = promisify(execFile);
const EXAMPLE = repositoryPath('examples/workflows-as-code');

interface Step {
  readonly if?: string;
  readonly run?: string;
}

let stack: CliStack;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deckhand-action-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  await packClients();
  stack = await startCliStack();
  const npmEnv = await startRegistry(folder);
  const prefix = join(folder, 'global');
  env = {
    ...npmEnv,
    PATH: `${join(prefix, 'bin')}:${npmEnv.PATH}`,
    npm_config_prefix: prefix,
    DECKHAND_URL: stack.url,
    DECKHAND_API_KEY: stack.key,
  };
  cpSync(EXAMPLE, join(folder, 'checkout'), { recursive: true });
});
afterAll(stopAll);

/** Runs the commands of the steps that an event reaches, as the runner does: with bash, each after the one before. */
async function runAction(event: 'pull_request' | 'push'): Promise<string> {
  const action = parse(readFileSync(join(EXAMPLE, '.github/workflows/deckhand.yml'), 'utf8')) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  let output = '';
  for (const step of Object.values(action.jobs).flatMap(({ steps }) => steps)) {
    if (step.if !== undefined && step.if !== `github.event_name == '${event}'`) continue;
    if (step.run === undefined) continue;
    const { stdout } = await run('bash', ['-eo', 'pipefail', '-c', step.run], { cwd: join(folder, 'checkout'), env });
    output += stdout;
  }
  return output;
}

async function slugs(): Promise<readonly string[]> {
  const { stdout } = await run('deckhand', ['workflows', 'list', '--json'], { env });
  return parseOwnJson<readonly { readonly slug: string }[]>(stdout).map(({ slug }) => slug);
}

it('the GitHub Action tests and plans a pull request, and applies a push, with the command of the instance', async () => {
  expect(await runAction('pull_request')).toMatch(/3 passed, 0 failed[^]*\+ refund/);
  expect(await slugs()).toEqual([]);
  expect(await runAction('push')).toMatch(/\+ refund created/);
  expect(await slugs()).toEqual(['refund']);
});
