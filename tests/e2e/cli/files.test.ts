import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chain,
  type CliStack,
  createApiKey,
  runCli,
  runCliOnTerminal,
  startCli,
  startCliStack,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let stack: CliStack;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  stack = await startCliStack();
  env = { ...stack.cliEnv, DECKHAND_WORKSPACE: stack.workspaceId };
});
afterAll(stopAll);

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-files-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  return join(folder, 'workflows');
}

const cli = (args: readonly string[], settings = env) => runCli(args, settings);

/** Runs a command that must succeed. @returns its JSON. */
async function json<T>(args: readonly string[], settings = env): Promise<T> {
  const { exitCode, stdout, stderr } = await cli([...args, '--json'], settings);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface WorkflowJson {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly managed: boolean;
  readonly status: string;
  readonly folderId: string | null;
  readonly definition: { readonly nodes: readonly Record<string, unknown>[] };
}

const read = (id: string) => stack.say<WorkflowJson>('GET', `/api/workflows/${id}`);

const secret = { token: 'hunter2' };

describe('workflows as files', () => {
  it('are pulled with names for ids, without secrets, and applied back unchanged', async () => {
    const { workspaceId } = stack;
    const credential = await stack.say<{ id: string }>('POST', '/api/credentials', {
      workspaceId,
      name: 'crm',
      type: 'bearer',
      secret,
      visibility: 'private',
    });
    const parent = await stack.say<{ id: string }>('POST', '/api/folders', { workspaceId, name: 'Payments' });
    const folder = await stack.say<{ id: string }>('POST', '/api/folders', {
      workspaceId,
      name: 'Refunds',
      parentId: parent.id,
    });
    const asked = await stack.createWorkflow(
      'Ask finance',
      chain({ id: 'a', type: 'set', parameters: { fields: {} } }),
    );
    const definition = chain(
      { id: 'call', type: 'http', credentialId: credential.id, parameters: { url: 'https://example.com' } },
      { id: 'ask', type: 'workflow', parameters: { workflowId: asked, input: { z: 1, a: '{{ $input }}' } } },
    );
    const id = await stack.createWorkflow('Refund order', {
      ...definition,
      nodes: [...definition.nodes, { id: 'hook', type: 'trigger.webhook', parameters: { secret: 'hunter2' } }],
    });
    await stack.say('PATCH', `/api/workflows/${id}`, { folderId: folder.id, errorWorkflowId: asked, status: 'active' });

    const dir = await newFolder();
    const pulled = await cli(['pull', '--dir', dir]);
    expect(pulled).toMatchObject({ exitCode: 0, stderr: '' });
    // Nothing but who manages the workflows would change.
    expect(await cli(['diff', '--dir', dir])).toMatchObject({ exitCode: 0, stdout: 'Nothing differs.\n' });
    expect((await readdir(dir)).sort()).toEqual(['ask-finance.yaml', 'refund-order.yaml', 'workflow.schema.json']);
    const text = await readFile(join(dir, 'refund-order.yaml'), 'utf8');
    expect(text).toContain('slug: refund-order\nname: Refund order\nfolder: Payments/Refunds\nstatus: active\n');
    expect(text).toContain('errorWorkflow: ask-finance\n');
    expect(text).toContain('credential: crm\n');
    expect(text).toContain('workflow: ask-finance\n');
    expect(text).toContain('secret: "********"\n');
    expect(text).not.toMatch(/hunter2|[0-9a-f]{8}-[0-9a-f]{4}-/);
    const schema = JSON.parse(await readFile(join(dir, 'workflow.schema.json'), 'utf8')) as { $defs: object };
    expect(schema.$defs).toHaveProperty('http');
    expect((await read(id)).slug).toBe('refund-order');

    const plan = await json<object[]>(['plan', '--dir', dir]);
    expect(plan).toMatchObject([
      { slug: 'ask-finance', action: 'update', changes: ['managed'] },
      { slug: 'refund-order', action: 'update', changes: ['managed'] },
    ]);
    await json(['apply', '--dir', dir]);
    expect(await read(id)).toMatchObject({ id, managed: true, status: 'active', folderId: folder.id });
    const { data: versions } = await stack.say<{ data: unknown[] }>('GET', `/api/workflows/${id}/versions`);
    expect(versions).toHaveLength(1);
    expect(await cli(['apply', '--dir', dir])).toMatchObject({ exitCode: 0, stdout: 'Nothing differs.\n' });
    expect(await cli(['diff', '--dir', dir])).toMatchObject({ exitCode: 0, stdout: 'Nothing differs.\n' });

    // Comments, tests and the style of the file survive a change in the workspace.
    const edited = text
      .replace('  - id: call\n', '  # Agreed with finance.\n  - id: call # the call\n')
      .replace('errorWorkflow:', '# Who is told.\nerrorWorkflow:')
      .concat('tests:\n  - name: one # kept\n    mocks: {}\n');
    await writeFile(join(dir, 'refund-order.yaml'), edited);
    expect((await cli(['pull', '--dir', dir])).stdout).toContain('refund-order.yaml is up to date.');
    const { definition: saved } = await read(id);
    const nodes = saved.nodes.map((node) => (node.id === 'call' ? { ...node, timeoutSeconds: 9 } : node));
    await stack.say('POST', `/api/workflows/${id}/versions`, { definition: { ...saved, nodes } });
    const behind = await cli(['diff', 'refund-order', '--dir', dir]);
    expect(behind.exitCode).toBe(1);
    expect(behind.stdout).toMatch(/update refund-order\n[^]*\n- +timeoutSeconds: 9\n/);
    const refused = await cli(['pull', 'refund-order', '--dir', dir]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('Git has no copy of it') });
    expect(await readFile(join(dir, 'refund-order.yaml'), 'utf8')).toBe(edited);
    // Who declines keeps the file, and still learns what became of the others.
    const declined = await runCliOnTerminal(['pull', 'refund-order', 'ask-finance', '--dir', dir], env, [
      { to: 'Overwrite', keys: 'n' },
    ]);
    expect(declined.exitCode).toBe(1);
    for (const text of ['ask-finance.yaml is up to date.', 'Git has no copy of it'])
      expect(declined.stdout).toContain(text);
    expect(declined.stdout).not.toContain('Nothing was done');
    expect(await readFile(join(dir, 'refund-order.yaml'), 'utf8')).toBe(edited);
    await json(['pull', 'refund-order', '--dir', dir, '--yes']);
    const merged = await readFile(join(dir, 'refund-order.yaml'), 'utf8');
    expect(merged.replace(/ +timeoutSeconds: 9\n/, '')).toBe(edited);
  });

  it('a change is applied as one version; a workflow that was changed since is refused, and the others are applied', async () => {
    const dir = await newFolder();
    await cp(join(REPOSITORY, 'examples/workflows-as-code/workflows'), dir, { recursive: true });
    const file = join(dir, 'refund.yaml');
    await writeFile(join(dir, 'broken.yaml'), 'slug: broken\nname: Broken\nnodes:\n  - { id: a, type: sett }\n');
    const plan = await cli(['plan', '--dir', dir]);
    expect(plan).toMatchObject({ exitCode: 1 });
    expect(plan.stdout).toMatch(/\+ broken\n\+ refund\n✗ broken: .*node a[^\n]*sett/);
    const applied = await cli(['apply', '--dir', dir]);
    expect(applied.exitCode).toBe(1);
    expect(applied.stdout).toMatch(/✗ broken: [^]*\+ refund created\n/);
    await rm(join(dir, 'broken.yaml'));
    const doubtful =
      'slug: doubtful\nname: Doubtful\nnodes:\n  - { id: start, type: trigger.manual }\n  - { id: check, type: if, parameters: { condition: "1 > 2" } }\nedges:\n  - { source: start, target: check }\n';
    await writeFile(join(dir, 'doubtful.yaml'), doubtful);
    const warning = expect.stringMatching(/Warning: doubtful: node check, .*The condition is a text.*Put the whole/);
    expect(await cli(['plan', 'doubtful', '--dir', dir])).toMatchObject({ exitCode: 0, stderr: warning });
    expect(await cli(['plan', 'doubtful', '--strict', '--dir', dir])).toMatchObject({ exitCode: 1, stderr: warning });
    const strict = await cli(['apply', 'doubtful', '--strict', '--dir', dir]);
    expect(strict).toMatchObject({ exitCode: 1, stdout: '', stderr: warning });
    expect(strict.stderr).toContain('Nothing was applied: there are warnings about doubtful.');
    expect(await cli(['apply', 'doubtful', '--dir', dir])).toMatchObject({ exitCode: 0, stderr: warning });
    await rm(join(dir, 'doubtful.yaml'));
    await writeFile(file, (await readFile(file, 'utf8')).replace('< 100', '< 200'));
    expect((await cli(['diff', '--dir', dir])).stdout).toMatch(/\n- .*< 100 \}\}"\n\+ .*< 200 \}\}"\n/);
    expect(await json(['apply', '--dir', dir])).toMatchObject([{ slug: 'refund', action: 'update' }]);
    const [{ id } = { id: '' }] = await json<{ id: string }[]>(['workflows', 'list', '--search', 'Refund']);
    expect(await read(id)).toMatchObject({ slug: 'refund', managed: true, status: 'active' });
    for (const [wrong, message] of [
      ['slug: refund', 'have the same slug, refund'],
      ['slug: Re fund', 'slug must have lower-case letters'],
      ['slug: other\nnodse: []', 'nodse is not a member of a workflow'],
      ['slug: [', 'is not valid YAML'],
    ]) {
      await writeFile(join(dir, 'wrong.yaml'), `name: Wrong\n${wrong}\n`);
      const refused = await cli(['plan', '--dir', dir]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(message);
    }
  });

  it('may name each other before they exist, take secrets from the environment, and are pruned on request', async () => {
    const { id: workspaceId } = await stack.say<{ id: string }>('POST', '/api/workspaces', { name: 'Pruned' });
    const settings = { ...env, DECKHAND_WORKSPACE: workspaceId };
    const dir = await newFolder();
    await cp(join(REPOSITORY, 'examples/workflows-as-code/workflows'), dir, { recursive: true });
    const started = (slug: string) =>
      `slug: ${slug}\nname: ${slug}\nfolder: A/B\nnodes:\n  - { id: start, type: trigger.manual }\n  - id: next\n    type: workflow\n`;
    const edge = 'edges:\n  - { source: start, target: next }\n';
    await writeFile(join(dir, 'ping.yaml'), `${started('ping')}    parameters: { workflow: pong }\n${edge}`);
    await writeFile(join(dir, 'pong.yaml'), `${started('pong')}    parameters: { workflow: ping }\n${edge}`);
    const hook = 'slug: hook\nname: Hook\nnodes:\n  - id: h\n    type: trigger.webhook\n    parameters:\n';
    await writeFile(join(dir, 'hook.yaml'), `${hook}      secret: { $env: HOOK_SECRET }\n`);
    const without = await cli(['apply', 'hook', '--dir', dir], settings);
    expect(without).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('the environment has no HOOK_SECRET'),
    });
    await json(['plan', '--dir', dir], { ...settings, HOOK_SECRET: 's' });
    await json(['apply', '--dir', dir], { ...settings, HOOK_SECRET: 's' });
    expect(await cli(['apply', '--dir', dir, '--prune', '--yes'], settings)).toMatchObject({
      stdout: 'Nothing differs.\n',
    });
    await json(['pull', '--dir', dir, '--yes'], settings);
    expect(await readFile(join(dir, 'hook.yaml'), 'utf8')).toContain('secret: { $env: HOOK_SECRET }');
    // The secret stays with the instance, whatever else changes.
    await writeFile(join(dir, 'hook.yaml'), `${hook}      method: PUT\n      secret: "********"\n`);
    await json(['apply', '--dir', dir], settings);
    const unmanaged = await stack.say<{ id: string }>('POST', '/api/workflows', { workspaceId, name: 'By hand' });
    await rm(join(dir, 'ping.yaml'));
    expect(await cli(['plan', '--dir', dir], settings)).toMatchObject({ stdout: expect.not.stringContaining('ping') });
    // Whatever a file names stays.
    const kept = { exitCode: 1, stdout: expect.stringContaining('✗ ping: Not deleted: pong names it.') };
    expect(await cli(['plan', '--dir', dir, '--prune'], settings)).toMatchObject(kept);
    expect(await cli(['apply', '--dir', dir, '--prune', '--yes'], settings)).toMatchObject(kept);
    await writeFile(join(dir, 'pong.yaml'), 'slug: pong\nname: pong\nnodes: [{ id: start, type: trigger.manual }]\n');
    // A script says that it deletes.
    for (const format of [[], ['--json']]) {
      const refused = await cli(['apply', '--dir', dir, '--prune', ...format], settings);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    }
    const pruned = await json<object[]>(['apply', '--dir', dir, '--prune', '--yes'], settings);
    expect(pruned).toMatchObject([
      { slug: 'pong', action: 'update' },
      { slug: 'ping', action: 'delete' },
    ]);
    expect(await read(unmanaged.id)).toMatchObject({ managed: false });
    await stack.say('DELETE', `/api/workspaces/${workspaceId}`);
  });

  it('are promoted to another workspace, with other credentials', async () => {
    const [source, target] = await Promise.all(
      ['Test', 'Production'].map((name) => stack.say<{ id: string }>('POST', '/api/workspaces', { name })),
    );
    const [from = '', to = ''] = [source?.id, target?.id];
    const make = (workspaceId: string, name: string) =>
      stack.say<{ id: string }>('POST', '/api/credentials', { workspaceId, name, type: 'bearer', secret });
    const [there, here] = [await make(to, 'crm'), await make(from, 'crm-test')];
    const call = { id: 'call', type: 'http', credentialId: here.id, parameters: { url: 'https://example.com' } };
    const body = { workspaceId: from, slug: 'call', name: 'Call', definition: chain(call), status: 'active' };
    await stack.say('POST', '/api/workflows/apply', body);
    const settings = { ...env, DECKHAND_WORKSPACE: from };
    const promote = ['promote', 'call', '--to-workspace', 'Production'];
    const unmapped = await cli(promote, settings);
    expect(unmapped).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('No credential is named crm-test') });
    const [promoted] = await json<{ id: string }[]>([...promote, '--credential', 'crm-test=crm'], settings);
    const copy = await read(promoted?.id ?? '');
    expect(copy).toMatchObject({ slug: 'call', managed: true, status: 'active' });
    expect(copy.definition.nodes).toContainEqual(expect.objectContaining({ id: 'call', credentialId: there.id }));
    const again = await cli([...promote, '--credential', 'crm-test=crm'], settings);
    expect(again).toMatchObject({ exitCode: 0, stdout: 'Nothing differs.\n' });
    expect((await cli(['promote'], settings)).exitCode).toBe(2);
    for (const id of [from, to]) await stack.say('DELETE', `/api/workspaces/${id}`);
  });

  it('are promoted with the profile of another instance, and its key', async () => {
    const [source, target] = await Promise.all(
      ['Here', 'There'].map((name) => stack.say<{ id: string }>('POST', '/api/workspaces', { name })),
    );
    const [from = '', to = ''] = [source?.id, target?.id];
    const body = { workspaceId: from, slug: 'call', name: 'Call', definition: chain(), status: 'active' };
    await stack.say('POST', '/api/workflows/apply', body);
    const XDG_CONFIG_HOME = await newFolder();
    // The one of the environment may only read.
    const reader = await createApiKey(stack, { name: 'Reader', preset: 'read-only' });
    const settings = { ...env, XDG_CONFIG_HOME, DECKHAND_API_KEY: reader, DECKHAND_WORKSPACE: from };
    const login = ['login', '--url', stack.url, '--workspace', to, '--profile', 'there'];
    expect(await runCli(login, { XDG_CONFIG_HOME }, stack.key)).toMatchObject({ exitCode: 0 });
    const promote = ['promote', '--to-profile', 'there'];
    const [promoted] = await json<{ id: string }[]>(promote, settings);
    const { data } = await stack.say<{ data: WorkflowJson[] }>('GET', `/api/workflows?workspaceId=${to}`);
    expect(data).toMatchObject([{ id: promoted?.id, slug: 'call', managed: true, status: 'active' }]);
    expect(await cli(promote, settings)).toMatchObject({ exitCode: 0, stdout: 'Nothing differs.\n' });
    const same = await cli([...promote, '--to-workspace', from], settings);
    expect(same).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('This is the same workspace.') });
    const unknown = await cli(['promote', '--to-profile', 'nowhere'], settings);
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no profile nowhere') });
    for (const id of [from, to]) await stack.say('DELETE', `/api/workspaces/${id}`);
  });

  it('are written beside one that gets no slug, and those of none stay and are named', async () => {
    const { id: workspaceId } = await stack.say<{ id: string }>('POST', '/api/workspaces', { name: 'Gone' });
    const made = (name: string) => stack.say<{ id: string }>('POST', '/api/workflows', { workspaceId, name });
    await made('No slug');
    const [gone, kept] = [await made('gone'), await made('kept')];
    await stack.say('PATCH', `/api/workflows/${gone.id}`, { slug: 'gone' });
    await stack.say('PATCH', `/api/workflows/${kept.id}`, { slug: 'kept' });
    const DECKHAND_API_KEY = await createApiKey(stack, { name: 'Reader', preset: 'read-only' });
    const settings = { ...env, DECKHAND_WORKSPACE: workspaceId, DECKHAND_API_KEY };
    const dir = await newFolder();
    const first = await cli(['pull', '--dir', dir], settings);
    expect(first).toMatchObject({ exitCode: 1, stderr: '' });
    expect(first.stdout).toMatch(/^No slug was not written: it has no slug, and gets none: .*workflows:write/);
    expect((await readdir(dir)).sort()).toEqual(['gone.yaml', 'kept.yaml', 'workflow.schema.json']);
    await stack.say('DELETE', `/api/workflows/${gone.id}`);
    const second = await cli(['pull', '--dir', dir], settings);
    expect(second.stdout).toContain('gone.yaml stays, but the workspace has no gone: "apply" would create it.');
    expect((await cli(['plan', '--dir', dir], settings)).stdout).toMatch(/^\+ gone$/m);
    expect((await cli(['diff', '--dir', dir], settings)).stdout).toMatch(/^create gone$/m);
    await stack.say('DELETE', `/api/workspaces/${workspaceId}`);
  });

  it('are not written if an id in them has no name', async () => {
    const made = await stack.say<{ id: string }>('POST', '/api/credentials', {
      workspaceId: stack.workspaceId,
      name: 'gone',
      type: 'bearer',
      secret,
    });
    const call = { id: 'call', type: 'http', credentialId: made.id, parameters: { url: 'https://example.com' } };
    await stack.createWorkflow('Nameless', chain(call));
    await stack.say('DELETE', `/api/credentials/${made.id}`);
    const dir = await newFolder();
    const pulled = await cli(['pull', 'Nameless', '--dir', dir]);
    expect(pulled).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('nameless was not written: node call'),
    });
    expect(await readdir(dir)).toEqual(['workflow.schema.json']);
  });

  it('slugs and the flag are set by hand', async () => {
    const id = await stack.createWorkflow('By hand', chain());
    await json(['workflows', 'set', 'By hand', '--slug', 'hand', '--managed']);
    expect(await read(id)).toMatchObject({ slug: 'hand', managed: true });
    await json(['workflows', 'set', 'By hand', '--no-managed']);
    expect(await read(id)).toMatchObject({ slug: 'hand', managed: false });
    expect((await cli(['workflows', 'set', 'By hand'])).exitCode).toBe(2);
    const taken = await stack.createWorkflow('Other', chain());
    expect(await cli(['workflows', 'set', taken, '--slug', 'hand'])).toMatchObject({ exitCode: 1 });
  });
});

describe('deckhand test', () => {
  /** Without an instance: no URL and no key. */
  const bare = {};

  it('runs the tests of files without an instance, on a virtual clock, and writes JUnit', async () => {
    const dir = await newFolder();
    await cp(join(REPOSITORY, 'examples/workflows-as-code/workflows'), dir, { recursive: true });
    const junit = join(dir, 'report.xml');
    const passed = await cli(['test', '--dir', dir, '--junit', junit], bare);
    expect(passed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(passed.stdout).toMatch(/^refund\n {2}✓ pays small amounts[^]*\n3 passed, 0 failed\n$/);
    const file = join(dir, 'refund.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('< 100', '< 2'));
    const failed = await cli(['test', 'refund', '--dir', dir, '--junit', junit], bare);
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('2 passed, 1 failed') });
    expect(failed.stdout).toContain('its path is start, small, ask, and not start, small, pay, end');
    const xml = await readFile(junit, 'utf8');
    expect(xml).toContain('<testsuite name="refund" tests="3" failures="1">');
    expect(xml).toContain('<failure message="');
  });

  it('runs them again when a file changes', async () => {
    const dir = await newFolder();
    await cp(join(REPOSITORY, 'examples/workflows-as-code/workflows'), dir, { recursive: true });
    const file = join(dir, 'refund.yaml');
    const text = await readFile(file, 'utf8');
    const { child, written, ended } = startCli(['test', '--dir', dir, '--watch'], bare);
    const waiting = (count: number) => written.stderr.split('Waiting for changes').length > count;
    await until(async () => waiting(1), 'the first run');
    expect(written.stdout).toContain('3 passed, 0 failed');
    await writeFile(file, text.replace('< 100', '< 2'));
    await until(async () => written.stdout.includes('2 passed, 1 failed'), 'the second run');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Stopped watching.') });
  });
});
