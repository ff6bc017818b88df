import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from '../../harness/built.ts';
import { chain, type CliStack, startCliStack, stopAll, stopLater } from '../../harness/index.ts';

const run = promisify(execFile);

let stack: CliStack;
let project: string;
let workflowId: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-install-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  project = join(folder, 'project');
  await mkdir(project);
  const [started] = await Promise.all([startCliStack(), install(folder)]);
  stack = started;
  workflowId = await stack.createWorkflow(
    'Refund',
    chain(
      { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
      { id: 'end', type: 'terminal', parameters: { body: '{{ $input.total }}' } },
    ),
  );
});
afterAll(stopAll);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Packs both packages with npm, and installs them into the empty project, without the network. */
async function install(folder: string): Promise<void> {
  const packages = ['packages/sdk', 'apps/cli'];
  const { tarballs, copy } = await packPackages(folder, packages);
  expect(tarballs).toHaveLength(2);
  for (const path of packages) expect(manifestOf(join(copy, path))).toEqual(manifestOf(join(REPOSITORY, path)));
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "version": "1.0.0", "private": true }');
  // What they depend on comes from the repository as it would from the registry: packed, and in the same version.
  const args = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', ['install', ...args, ...tarballs, ...installedDependencies()], { cwd: project });
}

/** Returns the folders of all third-party packages that the command needs. */
function installedDependencies(): readonly string[] {
  const found = new Map<string, string>();
  const visit = (folder: string, modules: string): void => {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const dependency = realpathSync(join(modules, name));
      if (name.startsWith('@deckhand/') || found.has(name)) continue;
      found.set(name, dependency);
      visit(dependency, dependency.slice(0, dependency.lastIndexOf('/node_modules/') + '/node_modules'.length));
    }
  };
  visit(join(REPOSITORY, 'apps/cli'), join(REPOSITORY, 'apps/cli/node_modules'));
  return [...found.values()];
}

/** Runs a line of a shell in the project, where `deckhand` is the installed command. */
async function shell(line: string, input = ''): Promise<string> {
  const { cliEnv, url } = stack;
  const PATH = `${join(project, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const env = { XDG_CONFIG_HOME: cliEnv.XDG_CONFIG_HOME, DECKHAND_URL: url, PATH };
  const running = run('sh', ['-c', line], { cwd: project, env });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** Returns the lines of a block of README.md. */
function block(language: string, start: string): readonly string[] {
  const blocks = [...readFileSync(join(REPOSITORY, 'README.md'), 'utf8').matchAll(/```(\w+)\n([^]*?)\n```/g)];
  const [, , text = ''] = blocks.find(([, name, content]) => name === language && content?.startsWith(start)) ?? [];
  return text.split('\n');
}

describe('packages that npm packs', () => {
  it('have versions that the registry knows, and nothing that only the repository needs', () => {
    const [sdk, cli] = ['sdk', 'cli'].map((name) => manifestOf(join(project, 'node_modules/@deckhand', name)));
    expect(sdk).toMatchObject({ version: manifestOf(REPOSITORY).version });
    for (const manifest of [sdk, cli]) {
      expect(manifest).not.toHaveProperty('scripts');
      expect(manifest).not.toHaveProperty('devDependencies');
    }
    expect(Object.keys(cli?.dependencies ?? {}).sort()).toEqual([
      '@clack/prompts',
      '@deckhand/sdk',
      'commander',
      'yaml',
    ]);
    for (const version of Object.values(cli?.dependencies ?? {})) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(sdk?.dependencies).toBeUndefined();
    for (const name of ['sdk', 'cli']) {
      expect(existsSync(join(project, 'node_modules/@deckhand', name, 'README.md'))).toBe(true);
      expect(existsSync(join(project, 'node_modules/@deckhand', name, 'src'))).toBe(false);
    }
  });

  it('install into an empty project, where the command has its version', async () => {
    expect((await shell('deckhand --version')).trim()).toBe(manifestOf(REPOSITORY).version);
    const stderr = expect.stringContaining('Tests need the package @deckhand/testing');
    await expect(shell('deckhand test')).rejects.toMatchObject({ code: 2, stderr });
  });
});

describe('deckhand types', () => {
  const schema = {
    type: 'object',
    required: ['amount'],
    properties: {
      amount: { type: 'number', description: 'In cents' },
      reason: { enum: ['damaged', 'late'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    },
    additionalProperties: false,
    $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
  };
  const trigger = { id: 'start', type: 'trigger.manual', parameters: { inputSchema: schema } };

  it('writes a file with which execute takes the input of each workflow only', async () => {
    const id = await stack.createWorkflow('Typed refund', { nodes: [trigger], edges: [] });
    const env = `DECKHAND_API_KEY=${stack.key}`;
    expect(await shell(`${env} deckhand types --out workflows.ts`)).toBe('Wrote workflows.ts: 2 workflows.\n');
    expect(await shell(`${env} deckhand types --out workflows.ts --check`)).toBe('workflows.ts is up to date.\n');
    const consumer = `
      import { createDeckhand, type Run } from '@deckhand/sdk';
      import { workflows } from './workflows.js';
      const { execute } = createDeckhand({ baseUrl: 'http://localhost:3000', apiKey: 'dk_none' }).workflows;
      export const runs: Promise<Run>[] = [
        execute('${id}', { amount: 1, reason: 'late', lines: [{ sku: 'a' }] }),
        execute(workflows['Typed refund'], { amount: 1 }, { idempotencyKey: 'a' }),
        execute(workflows.Refund, { anything: 1 }),
        execute(workflows.Refund),
        execute('id of another workflow' as string, { anything: 1 }),
        // @ts-expect-error the input is needed
        execute('${id}'),
        // @ts-expect-error amount is needed
        execute('${id}', { reason: 'late' }),
        // @ts-expect-error a misspelled name
        execute(workflows['Typed refund'], { amount: 1, raeson: 'late' }),
        // @ts-expect-error an unknown reason
        execute(workflows['Typed refund'], { amount: 1, reason: 'lost' }),
        // @ts-expect-error an item without sku
        execute('${id}', { amount: 1, lines: [{}] }),
      ];`;
    await writeFile(join(project, 'consumer.ts'), consumer);
    const options = '--strict --noEmit --module nodenext --target es2024 --lib es2024,dom,dom.iterable';
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    // The project is not an ES module.
    await writeFile(join(project, 'package.json'), '{ "name": "empty", "type": "module", "private": true }');
    const compiled = await run('sh', ['-c', `'${process.execPath}' '${tsc}' ${options} consumer.ts`], {
      cwd: project,
    }).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: '', stderr: '' });
    await stack.say('POST', `/api/workflows/${id}/versions`, {
      definition: { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] },
    });
    await expect(shell(`${env} deckhand types --out workflows.ts --check`)).rejects.toMatchObject({ code: 1 });
  });
});

describe('README.md', () => {
  it('has five lines with the SDK, which run', async () => {
    const lines = block('js', 'import { createDeckhand');
    expect(lines).toHaveLength(5);
    await writeFile(join(project, 'example.mjs'), lines.join('\n'));
    const env = { ...stack.cliEnv, WORKFLOW_ID: workflowId };
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: project, env });
    expect(stdout).toMatch(/success\n240\n$/);
  });

  it('has three lines with the command, which run', async () => {
    const lines = block('sh', 'deckhand login');
    expect(lines).toHaveLength(3);
    const outputs: string[] = [];
    for (const line of lines) outputs.push(await shell(line, `${stack.key}\n`));
    expect(outputs[0]).toContain(`Signed in to ${stack.url}`);
    expect(outputs[1]).toMatch(/success [^]*\n240\n$/);
    expect(outputs[2]).toMatch(/Refund/);
  });
});
