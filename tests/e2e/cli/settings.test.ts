import { freePort } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createServer, type RequestListener } from 'node:http';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  appEntry,
  chain,
  type CliStack,
  createApiKey,
  OWNER,
  runCli,
  runCliOnTerminal,
  startCli,
  startCliStack,
  startReceiver,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let stack: CliStack;
let env: Readonly<Record<string, string>>;
/** The same without URL and key. */
let bare: Readonly<Record<string, string>>;
/** The URL of no server. */
let dead: string;

beforeAll(async () => {
  stack = await startCliStack();
  env = stack.cliEnv;
  dead = `http://127.0.0.1:${await freePort()}`;
  bare = { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME! };
});
afterAll(stopAll);

const SET = chain({ id: 'a', type: 'set', parameters: { fields: {} } });

/** Runs a command that must succeed. @returns its JSON. */
async function json<T>(args: readonly string[], settings = env, input?: string): Promise<T> {
  const { exitCode, stdout, stderr } = await runCli([...args, '--json'], settings, input);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

/** Starts a server on a free port. @returns its URL. */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

describe('login --browser', () => {
  const settings = () => ({ XDG_CONFIG_HOME: join(bare.XDG_CONFIG_HOME!, 'browser') });

  it('saves the key that a person allows in the console, and the next commands use it', async () => {
    const { written, ended } = startCli(['login', '--url', stack.url, '--browser'], settings());
    const shown = /Open (\S+)\/device#(\S+) and compare the code: ([A-Z]{4}-[A-Z]{4})\n/;
    await until(() => shown.test(written.stderr));
    const [, url, id = '', code] = shown.exec(written.stderr) ?? [];
    expect(url).toBe(stack.url);
    const path = `/api/auth/devices/${id}`;
    expect(await stack.say('GET', path)).toMatchObject({ code, name: hostname() });
    await stack.say('POST', `${path}/approve`, { workspaceId: stack.workspaceId, password: OWNER.password });
    const { exitCode, stdout } = await ended;
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Signed in') });
    expect(await json(['profiles', 'list'], settings())).toMatchObject([{ workspaceId: stack.workspaceId }]);
    expect(await json(['workflows', 'list'], settings())).toEqual([]);
  });

  it('saves nothing after Ctrl+C', async () => {
    const args = ['login', '--url', stack.url, '--browser', '--profile', 'left'];
    const { child, written, ended } = startCli(args, settings());
    await until(() => written.stderr.includes('compare the code'));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await json(['profiles', 'list'], settings())).toHaveLength(1);
  });
});

describe('login', () => {
  const login = (...args: string[]): string[] => ['login', '--url', stack.url, ...args];

  it('saves a key for its owner alone, and the next commands use it', async () => {
    const before = await runCli(['workflows', 'list'], bare);
    expect(before).toMatchObject({ exitCode: 3, stdout: '' });
    expect(before.stderr).toContain('deckhand login --url http://localhost:3000');
    const { exitCode, stdout } = await runCli(login(), bare, `${stack.key}\n`);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('with the key CLI') });
    const path = join(bare.XDG_CONFIG_HOME!, 'deckhand/profiles.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
    expect(await json(['workflows', 'list'], bare)).toEqual([]);
    const asked = await runCliOnTerminal(login('--profile', 'asked'), bare, [
      { to: 'API key', keys: `${stack.key}\r` },
    ]);
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).not.toContain(stack.key);
  });

  it('keeps several profiles apart', async () => {
    const other = await createApiKey(stack, { name: 'Reader', preset: 'read-only' });
    await json(login('--profile', 'reader'), bare, other);
    expect(await json(['profiles', 'list'], bare)).toMatchObject([
      { name: 'default', isCurrent: false },
      { name: 'asked', isCurrent: false },
      { name: 'reader', isCurrent: true, url: stack.url, workspaceId: stack.workspaceId },
    ]);
    await json(['profiles', 'use', 'default'], bare);
    await json(['variables', 'set', 'a', '1'], bare);
    for (const settings of [bare, { ...bare, DECKHAND_PROFILE: 'default' }]) {
      const refused = await runCli(['variables', 'set', 'a', '2', '--profile', 'reader'], settings);
      expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
      expect(refused.stderr).toContain('use a key with the scope variables:read');
    }
    // An option wins over the environment.
    expect((await runCli(['variables', 'set', 'a', '3', '--profile', 'reader'], env)).exitCode).toBe(3);
    await json(['logout', '--profile', 'reader'], bare);
    const gone = await runCli(['workflows', 'list', '--profile', 'reader'], bare);
    expect(gone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no profile reader') });
  });

  it('saves no key that is not valid', async () => {
    for (const [key, message] of [
      ['dk_wrong', /sign in with "deckhand login"/],
      ['hunter2', /not an API key/],
      ['', /API key for \S+ is empty/],
    ] as const) {
      const { exitCode, stderr } = await runCli(login('--profile', 'wrong'), bare, key);
      expect([2, 3]).toContain(exitCode);
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain('hunter2');
    }
    expect(await json<{ name: string }[]>(['profiles', 'list'], bare)).toHaveLength(2);
  });

  it('never sends a key to another instance than its own', async () => {
    const { url, calls } = await startReceiver();
    for (const settings of [bare, env, { ...bare, DECKHAND_URL: url }]) {
      const args = settings.DECKHAND_URL === url ? [] : ['--url', url];
      const { exitCode, stderr } = await runCli(['workflows', 'list', ...args], settings);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining(`login --url ${url}`),
      });
    }
    const redirecting = await listen((_, response) => response.writeHead(307, { location: `${url}/api/me` }).end());
    const redirected = await runCli(['login', '--url', redirecting], bare, stack.key);
    expect(redirected).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('status 307') });
    expect(calls).toEqual([]);
  });

  it('says what is wrong with the file of the profiles', async () => {
    const path = join(bare.XDG_CONFIG_HOME!, 'deckhand/profiles.json');
    const content = await readFile(path, 'utf8');
    await writeFile(path, '{"profiles":');
    expect(await runCli(['workflows', 'list'], bare)).toMatchObject({
      exitCode: 2,
      stderr: `${path} is not valid: remove it, and sign in again with "deckhand login".\n`,
    });
    await writeFile(path, content);
    await chmod(path, 0o644);
    const open = await runCli(['doctor'], bare);
    expect(open).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`chmod 600 ${path}`) });
    await chmod(path, 0o600);
  });
});

describe('workspaces', () => {
  it('are named by id or name, and must be where there are several', async () => {
    const { id } = await stack.say<{ id: string }>('POST', '/api/workspaces', { name: 'Second' });
    const ambiguous = await runCli(['workflows', 'list'], env);
    expect(ambiguous).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ambiguous.stderr).toContain('can access 2 workspaces: name one with --workspace');
    expect(ambiguous.stderr).toContain(`${id} (Second)`);
    await json(['variables', 'set', 'where', 'second', '--workspace', 'Second']);
    expect(await json(['variables', 'list', '--workspace', id])).toMatchObject([{ name: 'where', value: 'second' }]);
    expect((await runCli(['workflows', 'list', '--workspace', 'Third'], env)).exitCode).toBe(4);
    await stack.say('DELETE', `/api/workspaces/${id}`);
  });
});

describe('workflows', () => {
  it('are listed, read, checked and activated', async () => {
    const id = await stack.createWorkflow('Refund', SET);
    expect(await json(['workflows', 'list', '--search', 'refund'])).toMatchObject([{ id, name: 'Refund' }]);
    const shown = await runCli(['workflows', 'get', 'Refund'], env);
    expect(shown.stdout).toMatch(/^id +\S+\nname +Refund\nstatus +draft\n[^]*\na +set/);
    const { stdout: definition } = await runCli(['workflows', 'get', 'Refund', '--definition'], env);
    expect(JSON.parse(definition)).toMatchObject(SET);
    const valid = await runCli(['workflows', 'validate', '-'], env, definition);
    expect(valid).toMatchObject({ exitCode: 0, stdout: 'The definition is valid.\n' });
    const { stdout: whole } = await runCli(['workflows', 'get', id, '--json'], env);
    expect((await runCli(['workflows', 'validate', '-', '--workflow', 'Refund'], env, whole)).exitCode).toBe(0);
    const broken = definition.replace('"set"', '"sett"');
    const check = { id: 'check', type: 'if', parameters: { condition: '1 > 2' } };
    const nodes = [{ id: 'start', type: 'trigger.manual' }, check];
    const doubtful = JSON.stringify({ nodes, edges: [{ source: 'start', target: 'check' }] });
    const warning = expect.stringContaining(
      'Warning: node check, definition.nodes[1].parameters.condition: The condition',
    );
    expect(await runCli(['workflows', 'validate', '-'], env, doubtful)).toMatchObject({ exitCode: 0, stderr: warning });
    const strict = await runCli(['workflows', 'validate', '-', '--strict'], env, doubtful);
    expect(strict).toMatchObject({ exitCode: 1, stderr: warning });
    const invalid = await runCli(['workflows', 'validate', '-'], env, broken);
    expect(invalid).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/not valid\.\nnode a[^\n]*sett/) });
    expect(await json(['workflows', 'activate', 'Refund'])).toMatchObject({ id, status: 'active' });
    expect(await json<unknown[]>(['workflows', 'list', '--status', 'draft'])).toEqual([]);
  });
});

describe('secrets and variables', () => {
  it('a secret comes from the standard input or a person, and never from an argument', async () => {
    const args = ['secrets', 'set', 'crm', '--type', 'basic', '--field', 'username=ada'];
    const { id } = await json<{ id: string }>(args, env, 'hunter2\n');
    const refused = await runCli([...args, '--field', 'password=hunter2'], env);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('password is secret: pipe it');
    expect(refused.stderr).not.toContain('hunter2');
    const typed = await runCliOnTerminal(['secrets', 'set', 'crm', '--field', 'username=ada'], env, [
      { to: 'password', keys: 'hunter3\r' },
    ]);
    expect(typed.stdout).toContain(`Replaced the secret of credential crm (${id})`);
    expect(typed.stdout).not.toContain('hunter3');
    const list = await runCli(['secrets', 'list'], env);
    expect(list.stdout).toMatch(/crm +basic/);
    expect(list.stdout).not.toContain('hunter');
    expect((await runCli(['secrets', 'set', 'new'], env, 'x')).stderr).toContain('pass its type with --type');
    expect((await runCli(['secrets', 'set', 'crm', '--type', 'bearer'], env, 'x')).stderr).toContain(
      'has the type basic',
    );
    expect((await runCli(['secrets', 'set', 'new', '--type', 'oauth2'], env, 'x')).exitCode).toBe(2);
    const smtp = ['--field', 'host=mail.example.com', '--field', 'port=587', '--field', 'secure=true'];
    await json(['secrets', 'set', 'mail', '--type', 'smtp', ...smtp], env, 'hunter2');
  });

  it('a secret that is set is the one that nodes use', async () => {
    const received: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      received.push(request.headers.authorization);
      response.end();
    });
    for (const token of ['first', 'second']) {
      const { id } = await json<{ id: string }>(['secrets', 'set', 'api', '--type', 'bearer'], env, `${token}\n`);
      const http = { id: 'call', type: 'http', credentialId: id, parameters: { url } };
      const workflowId = await stack.createWorkflow(`Calls with ${token}`, chain(http));
      expect((await runCli(['run', workflowId, '--follow'], env)).exitCode).toBe(0);
    }
    expect(received).toEqual(['Bearer first', 'Bearer second']);
  });

  it('a variable is created and changed', async () => {
    await json(['variables', 'set', 'rate', '7']);
    await json(['variables', 'set', 'rate', '-'], env, '8\n');
    const listed = await json<{ name: string; value: string }[]>(['variables', 'list']);
    expect(listed.find(({ name }) => name === 'rate')?.value).toBe('8');
  });
});

describe('doctor', () => {
  it('checks what commands need', async () => {
    const checks = await json<{ name: string; state: string }[]>(['doctor']);
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'profile ok',
      'encryption ok',
      'connection ok',
      'instance ok',
      'key ok',
      'workspaces ok',
      'workers ok',
    ]);
    const revoked = await runCli(['doctor'], { ...env, DECKHAND_API_KEY: 'dk_revoked' });
    expect(revoked).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/✓ instance: ready\n✗ key: .*UNAUTHORIZED/),
    });
    const unreachable = await runCli(['doctor'], { ...env, DECKHAND_URL: dead });
    expect(unreachable).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/✗ connection: .*ECONNREFUSED/) });
  });
});

describe('a command that cannot be done', () => {
  it.each([
    ['no command', [], 2, /Usage: deckhand <command>/],
    ['an option that does not exist', ['runs', 'list', '--foo'], 2, /unknown option '--foo'[^]*See --help/],
    ['a status that does not exist', ['runs', 'list', '--status', 'done'], 2, /must be one of pending, running/],
    ['a span without a unit', ['runs', 'list', '--since', '30'], 2, /such as 30m/],
    ['an input that is not JSON', ['run', 'x', '--input', '{"a":'], 2, /The input is not JSON/],
    ['an input that is not an object', ['run', 'x', '--input', '[1]'], 2, /must be a JSON object/],
    ['a file that does not exist', ['run', 'x', '--input', '/nowhere.json'], 2, /cannot be read: ENOENT/],
    ['a URL that is none', ['doctor', '--url', 'deckhand'], 1, /^$/],
    [
      'a URL with a password',
      ['workflows', 'list', '--url', 'http://a:hunter2@b/'],
      2,
      /must not contain a user or a password/,
    ],
    [
      'a run that does not exist',
      ['runs', 'get', '019aa5b1-0000-7000-8000-000000000000'],
      4,
      /\(NOT_FOUND\): check the id/,
    ],
    ['a server that does not respond', ['workflows', 'list'], 5, /cannot be reached \(ECONNREFUSED\)/],
  ] as const)('for %s says so in one line, with its exit code', async (what, args, exitCode, message) => {
    const settings = what.startsWith('a server') ? { ...env, DECKHAND_URL: dead } : env;
    const run = await runCli(args, settings);
    expect(run.stderr).toMatch(message);
    expect({ exitCode: run.exitCode, hasSecret: run.stderr.includes('hunter2') }).toEqual({
      exitCode,
      hasSecret: false,
    });
  });

  it('says so as JSON with --json', async () => {
    const { exitCode, stdout, stderr } = await runCli(
      ['runs', 'get', '019aa5b1-0000-7000-8000-000000000000', '--json'],
      env,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      exitCode: 4,
      requestId: expect.any(String),
    });
  });

  it('names a scope that the key lacks', async () => {
    const key = await createApiKey(stack, { name: 'Narrow', scopes: ['workflows:read'] });
    const settings = { ...env, DECKHAND_API_KEY: key, DECKHAND_WORKSPACE: stack.workspaceId };
    const { exitCode, stderr } = await runCli(['runs', 'list'], settings);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('the scope executions:read'),
    });
    expect((await runCli(['workflows', 'list'], settings)).exitCode).toBe(0);
  });
});

describe('completion', () => {
  it('of bash offers commands, options and choices', async () => {
    const script = join(env.XDG_CONFIG_HOME!, 'completion.bash');
    await writeFile(script, (await runCli(['completion', 'bash'], env)).stdout);
    const offered = async (...words: string[]): Promise<string[]> => {
      const typed = ['deckhand', ...words];
      const source = `deckhand() { '${process.execPath}' '${appEntry('cli')}' "$@"; }
        . '${script}'; COMP_WORDS=("$@"); COMP_CWORD=${typed.length - 1}; _deckhand; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', source, 'bash', ...typed]);
      return stdout.trim().split('\n');
    };
    expect(await offered('ru')).toEqual(['run', 'runs']);
    expect(await offered('--json', 'runs', 's')).toEqual(['stop']);
    expect(await offered('run', 'Refund', '--mo')).toEqual(['--mode']);
    expect(await offered('run', 'Refund', '--mode', 's')).toEqual(['sandbox']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await offered('run', '')).toEqual(['']);
  });

  it('of zsh and fish calls the same command', async () => {
    for (const shell of ['zsh', 'fish']) {
      expect((await runCli(['completion', shell], env)).stdout).toContain('deckhand complete -- ');
    }
    expect((await runCli(['completion', 'tcsh'], env)).exitCode).toBe(2);
  });
});
