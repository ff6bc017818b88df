import type { Definition } from '@deckhand/contracts';
import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeSnippets } from '../../../apps/console/src/features/workflows/code-snippets.ts';
import { packClients } from '../../harness/built.ts';
import { chain, type CliStack, startCliStack, stopAll, stopLater } from '../../harness/index.ts';
import { startRegistry } from '../../harness/registry.ts';

const run = promisify(execFile);

const CLIENTS = ['sdk', 'cli', 'testing'] as const;

let packed: Awaited<ReturnType<typeof packClients>>;
let stack: CliStack;
let folder: string;
let project: string;
let workflowId: string;
/** Has nothing but the packages that the repository has installed. */
let npmEnv: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deckhand-install-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  project = join(folder, 'project');
  await mkdir(project);
  npmEnv = await startRegistry(folder);
  // Before the API starts, which reads what there is to download then.
  packed = await packClients();
  stack = await startCliStack();
  await install();
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
  readonly publishConfig?: unknown;
}

const manifestOf = (path: string): Manifest => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;

const addressOf = (client: string): string => `${stack.url}/downloads/deckhand-${client}.tgz`;

/** Installs the clients of the instance into the empty project, from its addresses. */
async function install(): Promise<void> {
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "version": "1.0.0", "private": true }');
  await run('npm', ['install', '--no-save', ...CLIENTS.map(addressOf)], { cwd: project, env: npmEnv });
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

/** Returns the lines of a block of a README. */
function block(language: string, start: string, file = 'README.md'): readonly string[] {
  const blocks = [...readFileSync(join(REPOSITORY, file), 'utf8').matchAll(/```(\w+)\n([^]*?)\n```/g)];
  const [, , text = ''] = blocks.find(([, name, content]) => name === language && content?.startsWith(start)) ?? [];
  return text.split('\n');
}

describe('packages that an instance serves', () => {
  it('have versions that the registry knows, and nothing that only the repository needs', () => {
    for (const name of CLIENTS) {
      const installed = join(project, 'node_modules/@deckhand', name);
      const manifest = manifestOf(installed);
      expect(manifest).toMatchObject({ version: manifestOf(REPOSITORY).version, license: 'MIT' });
      for (const member of ['private', 'scripts', 'devDependencies']) expect(manifest).not.toHaveProperty(member);
      for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
        expect(`${dependency} ${version}`).toMatch(/^(?!@deckhand\/)\S+ \d+\.\d+\.\d+$/);
      }
      for (const file of ['README.md', 'LICENSE', 'dist']) expect(existsSync(join(installed, file))).toBe(true);
      expect(existsSync(join(installed, 'src'))).toBe(false);
    }
    expect(manifestOf(join(project, 'node_modules/@deckhand/sdk'))).not.toHaveProperty('dependencies');
  });

  it('install into an empty project, where the command has its version', async () => {
    expect((await shell('deckhand --version')).trim()).toBe(manifestOf(REPOSITORY).version);
  });

  it('have the checksums beside them', async () => {
    const sums = await (await fetch(`${stack.url}/downloads/SHA256SUMS`)).text();
    const lines: string[] = [];
    for (const name of CLIENTS) {
      const response = await fetch(addressOf(name));
      expect(response.headers.get('content-type')).toBe('application/gzip');
      const sum = createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
      lines.push(`${sum}  deckhand-${name}.tgz\n`);
    }
    expect(sums).toBe(lines.join(''));
  });
});

describe('packages for the registry', () => {
  const inRepository = (name: string): string => join(REPOSITORY, 'node_modules/.bin', name);

  it.each(CLIENTS)('%s has exports, entries and files that publint accepts', async (name) => {
    const { stdout } = await run(inRepository('publint'), [packed[name], '--strict'], { env: npmEnv });
    expect(stdout).toContain('All good!');
  });

  it.each(['sdk', 'testing'] as const)('%s has types for each export, as ES modules need them', async (name) => {
    const { stdout } = await run(inRepository('attw'), [packed[name], '--profile', 'esm-only'], { env: npmEnv });
    expect(stdout).toMatch(/node16 \(from ESM\).*🟢 \(ESM\)/);
  });

  it.each(CLIENTS)('%s can be published', async (name) => {
    const { stderr } = await run('npm', ['publish', packed[name], '--dry-run'], { env: npmEnv });
    expect(stderr).toMatch(/with tag latest and public access \(dry-run\)/);
    expect(stderr).not.toMatch(/auto-corrected/);
    const { publishConfig } = manifestOf(join(project, 'node_modules/@deckhand', name));
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
  });
});

describe('deckhand test', () => {
  it('runs the tests of files in an empty folder, scripts too, without a checkout and without an instance', async () => {
    const own = join(project, 'own');
    cpSync(join(REPOSITORY, 'examples/workflows-as-code/workflows'), own, { recursive: true });
    const script = `
slug: double
name: Double
nodes:
  - { id: start, type: trigger.manual }
  - { id: double, type: code, parameters: { source: return $trigger.n * 2 } }
edges: [{ source: start, target: double }]
tests:
  - { name: doubles, input: { n: 21 }, expect: { outputs: { double: 42 } } }
`;
    await writeFile(join(own, 'double.yaml'), script);
    const output = await shell('deckhand test --dir own --url http://127.0.0.1:1');
    expect(output).toMatch(/✓ doubles[^]*4 passed, 0 failed\n$/);
  });

  it('installs no image library, and says of an image that is not mocked what to install', async () => {
    expect(existsSync(join(project, 'node_modules/sharp'))).toBe(false);
    const own = join(project, 'images');
    await mkdir(own);
    const file = `
slug: thumbnail
name: Thumbnail
nodes:
  - { id: start, type: trigger.manual }
  - { id: small, type: image, parameters: { file: '{{ $trigger.file }}', width: 10 } }
edges: [{ source: start, target: small }]
tests:
  - { name: works, input: { file: { base64: aGVsbG8=, contentType: image/png } } }
`;
    await writeFile(join(own, 'thumbnail.yaml'), file);
    const failed = await shell('deckhand test --dir images --url http://127.0.0.1:1 || true');
    expect(failed).toContain('npm install sharp');
  });

  it('has the same tester as a package', async () => {
    const program = `
      import { createTester } from '@deckhand/testing';
      const tester = await createTester();
      const nodes = [{ id: 'start', type: 'trigger.manual' }, { id: 'tell', type: 'set', parameters: { fields: { a: 1 } } }];
      const definition = { nodes, edges: [{ source: 'start', target: 'tell' }] };
      const [result] = await tester.test(definition, [{ name: 'one', expect: { outputs: { tell: { a: 2 } } } }]);
      console.log(result?.failures.join());
      await tester.close();`;
    await writeFile(join(project, 'tester.mjs'), program);
    const { stdout } = await run(process.execPath, ['tester.mjs'], { cwd: project });
    expect(stdout).toMatch(/the output of tell/);
  });
});

describe('npx with the address of an instance', () => {
  it('starts a run from an empty folder, with nothing installed', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const args = ['--yes', addressOf('cli'), 'run', 'Refund', '--input', '{"amount":120}', '--follow'];
    const { stdout } = await run('npx', args, { cwd: empty, env: { ...npmEnv, ...stack.cliEnv } });
    expect(stdout).toMatch(/success [^]*\n240\n$/);
  });
});

describe('what the console shows under "Use from code"', () => {
  it('installs the SDK, and starts a run from a program, a shell and curl', async () => {
    const own = join(folder, 'from-code');
    await mkdir(own);
    const snippets = codeSnippets(stack.url, workflowId);
    const env = { ...npmEnv, DECKHAND_API_KEY: stack.key };
    const inShell = async (line: string): Promise<string> => (await run('sh', ['-c', line], { cwd: own, env })).stdout;
    await inShell(snippets.install);
    await writeFile(join(own, 'program.mjs'), snippets.javaScript.replace('{}', '{ amount: 60 }'));
    expect(await inShell(`${process.execPath} program.mjs`)).toBe('120\n');
    expect(await inShell(snippets.shell.replace('{}', '{"amount":4}'))).toMatch(/success [^]*\n8\n$/);
    expect(JSON.parse(await inShell(snippets.curl))).toMatchObject({ executionId: expect.any(String) });
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

  it('writes a file with which execute takes the input of each workflow only, and returns its result', async () => {
    const result = { type: 'object', required: ['refundId'], properties: { refundId: { type: 'string' } } };
    const end = { id: 'end', type: 'terminal', parameters: { body: { refundId: 'a' }, bodySchema: result } };
    const definition = { nodes: [trigger, end], edges: [{ source: 'start', target: 'end' }] };
    const id = await stack.createWorkflow('Typed refund', definition);
    await stack.say('PATCH', `/api/workflows/${id}`, { slug: 'typed-refund' });
    const env = `DECKHAND_API_KEY=${stack.key}`;
    expect(await shell(`${env} deckhand types --out workflows.ts`)).toBe('Wrote workflows.ts: 2 workflows.\n');
    expect(await shell(`${env} deckhand types --out workflows.ts --check`)).toBe('workflows.ts is up to date.\n');
    expect(await shell(`${env} deckhand types typed-refund --out one.ts`)).toBe('Wrote one.ts: 1 workflows.\n');
    const consumer = `
      import { createDeckhand, type Run, verifyWebhook } from '@deckhand/sdk';
      import { workflows } from './workflows.js';
      declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
      const deckhand = createDeckhand({ baseUrl: process.env.DECKHAND_URL, apiKey: process.env.DECKHAND_API_KEY });
      const { execute, executeBatch } = deckhand.workflows;
      export async function results(): Promise<string[]> {
        const run = await execute('typed-refund', { amount: 1 });
        const [one] = await executeBatch('typed-refund', [{ input: { amount: 1 }, tags: ['a'] }]);
        // @ts-expect-error the result has no such member
        (await run.result()).refund;
        return [(await run.result()).refundId, one?.run ? (await one.run.result()).refundId : ''];
      }
      export async function resultOf(payload: string, headers: Headers, secret: string): Promise<string> {
        const { type, data } = await verifyWebhook({ payload, headers, secret });
        // @ts-expect-error there is no such event
        if (type === 'run.done' || data.executionId === undefined) return '';
        // @ts-expect-error nothing is known of the result without the workflow
        (await deckhand.runs.of(data.executionId).result()).refundId;
        return (await deckhand.runs.of<'typed-refund'>(data.executionId).result()).refundId;
      }
      // @ts-expect-error amount is needed in each item
      void executeBatch('typed-refund', [{ input: {} }]);
      void executeBatch(workflows.Refund, [{ input: { anything: 1 } }, {}]);
      export const runs: Promise<Run>[] = [
        execute('typed-refund', { amount: 1, reason: 'late', lines: [{ sku: 'a' }] }),
        execute(workflows['Typed refund'], { amount: 1 }, { idempotencyKey: 'a' }),
        execute(workflows.Refund, { anything: 1 }),
        execute(workflows.Refund),
        execute('id of another workflow' as string, { anything: 1 }),
        // @ts-expect-error the input is needed
        execute('typed-refund'),
        // @ts-expect-error amount is needed
        execute('typed-refund', { reason: 'late' }),
        // @ts-expect-error a misspelled name
        execute(workflows['Typed refund'], { amount: 1, raeson: 'late' }),
        // @ts-expect-error an unknown reason
        execute(workflows['Typed refund'], { amount: 1, reason: 'lost' }),
        // @ts-expect-error an item without sku
        execute('typed-refund', { amount: 1, lines: [{}] }),
      ];`;
    await writeFile(join(project, 'consumer.ts'), consumer);
    const declared = 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };';
    for (const readme of ['README.md', 'packages/sdk/README.md']) {
      const lines = block('js', 'import { createDeckhand', readme);
      await writeFile(join(project, `example-${lines.length}.ts`), [...lines, declared].join('\n'));
    }
    const options =
      '--strict --noUncheckedIndexedAccess --noEmit --module nodenext --target es2024 --lib es2024,dom,dom.iterable';
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    // The project is not an ES module.
    await writeFile(join(project, 'package.json'), '{ "name": "empty", "type": "module", "private": true }');
    const compiled = await run('sh', ['-c', `'${process.execPath}' '${tsc}' ${options} consumer.ts example-*.ts`], {
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
    // As `npm start` creates it.
    const text = readFileSync(join(REPOSITORY, 'examples/ticket-routing/workflow.json'), 'utf8');
    const { name, definition } = JSON.parse(text) as { name: string; definition: Definition };
    await stack.createWorkflow(name, definition);
    const lines = block('sh', 'deckhand login');
    expect(lines).toHaveLength(3);
    const outputs: string[] = [];
    for (const line of lines) outputs.push(await shell(line, `${stack.key}\n`));
    expect(outputs[0]).toContain(`Signed in to ${stack.url}`);
    expect(outputs[1]).toMatch(/success [^]*"queue": "seniors"/);
    expect(outputs[2]).toMatch(/Ticket routing/);
  });
});
