import type { Definition } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile, readFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  chain,
  type CliStack,
  runCli,
  runCliOnTerminal,
  startCli,
  startCliStack,
  startTcpProxy,
  stopAll,
  until,
} from '../../harness/index.ts';

let stack: CliStack;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  stack = await startCliStack();
  env = stack.cliEnv;
});
afterAll(stopAll);

const DOUBLE = chain(
  { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
  { id: 'end', type: 'terminal', parameters: { body: '{{ $input.total }}' } },
);
const ASK = chain({ id: 'ask', type: 'approval', parameters: { message: 'Refund it?' } });
const FAIL = chain({ id: 'no', type: 'fail', parameters: { message: 'out of stock' } });
const LATE: Definition = {
  ...chain({ id: 'w', type: 'wait', parameters: { seconds: 60 } }),
  settings: { timeoutSeconds: 1 },
};
const CHECK: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'check', type: 'if', parameters: { condition: '{{ $trigger.amount > 100 }}' } },
    { id: 'big', type: 'set', parameters: { fields: { size: 'big' } } },
    { id: 'small', type: 'set', parameters: { fields: { size: 'small' } } },
    { id: 'end', type: 'terminal', parameters: { body: 'done' } },
  ],
  edges: [
    { source: 'start', target: 'check' },
    { source: 'check', sourceHandle: 'true', target: 'big' },
    { source: 'check', sourceHandle: 'false', target: 'small' },
    { source: 'big', target: 'end' },
    { source: 'small', target: 'end' },
  ],
};

const statusOf = async (id: string): Promise<string> =>
  (await stack.say<{ status: string }>('GET', `/api/executions/${id}?slim=true`)).status;

/** Runs a command that must succeed. @returns its JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runCli([...args, '--json'], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

/** Starts a run that waits for an approval. @returns its id. */
async function startWaiting(workflowId: string): Promise<string> {
  const id = await stack.start(workflowId);
  await until(async () => (await statusOf(id)) === 'waiting_for_input');
  return id;
}

describe('run', () => {
  it('starts a workflow by its id or its exact name, with an input from an argument, a file or the standard input', async () => {
    const id = await stack.createWorkflow('Double it', DOUBLE);
    await stack.createWorkflow('Double it twice', DOUBLE);
    const file = join(env.XDG_CONFIG_HOME!, 'input.json');
    await writeFile(file, '{"amount":3}');
    const byId = await json<{ executionId: string }>('run', id, '--input', '{"amount":1}', '--tag', 'a', '--tag', 'b');
    const byName = await runCli(['run', 'Double it', '--input', file], env);
    const piped = await runCli(['run', 'Double it', '--input', '-', '--follow'], env, '{"amount":4}\n');
    expect(await stack.say('GET', `/api/executions/${byId.executionId}`)).toMatchObject({ tags: ['a', 'b'] });
    const started = await stack.say('GET', `/api/executions/${byName.stdout.trim()}`);
    expect(started).toMatchObject({ workflowId: id, data: { trigger: { amount: 3 } } });
    expect(piped.stdout).toMatch(/success [^]*\n8\n$/);
  });

  it('starts one run for an idempotency key', async () => {
    await stack.createWorkflow('Once', DOUBLE);
    const args = ['run', 'Once', '--input', '{"amount":1}', '--idempotency-key', 'order 7'];
    const [one, other] = [await runCli(args, env), await runCli(args, env)];
    expect(one.stdout).toBe(other.stdout);
  });

  it('says which workflows have an ambiguous name, and that there is none', async () => {
    const ids = [await stack.createWorkflow('Twins', DOUBLE), await stack.createWorkflow('Twins', DOUBLE)];
    const twins = await runCli(['run', 'Twins'], env);
    expect(twins).toMatchObject({ exitCode: 2, stdout: '' });
    for (const id of ids) expect(twins.stderr).toContain(id);
    const none = await runCli(['run', 'twins'], env);
    expect(none).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: 'No workflow is named twins: see "deckhand workflows list".\n',
    });
  });
});

describe('run --follow', () => {
  it.each([
    ['success', DOUBLE, 0],
    ['failed', FAIL, 10],
    ['timeout', LATE, 11],
  ] as const)('exits by the outcome: %s', async (status, definition, exitCode) => {
    const id = await stack.createWorkflow(`Ends as ${status}`, definition);
    const run = await runCli(['run', id, '--input', '{"amount":1}', '--follow', '--json'], env);
    expect(run).toMatchObject({ exitCode, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ workflowId: id, status });
  });

  it('shows each change of a node, the error and the result, without a terminal', async () => {
    await stack.createWorkflow('Checks', CHECK);
    const done = await runCli(['run', 'Checks', '--input', '{"amount":120}', '--follow'], env);
    expect(done.stdout).toMatch(/^Run \S+ {2}success {2}\d[^\n]*\n"done"\n$/);
    expect(done.stderr).toMatch(/^big {2}success/m);
    expect(done.stderr).toMatch(/^small {2}skipped/m);
    await stack.createWorkflow('Refuses', FAIL);
    const failed = await runCli(['run', 'Refuses', '--follow'], env);
    expect(failed.stderr).toMatch(/^no {2}failed .*out of stock/m);
    expect(failed.stdout).toMatch(/failed [^\n]*\nno: out of stock \(\w+\)\n$/);
  });

  it('ends when the run is stopped', async () => {
    const id = await startWaiting(await stack.createWorkflow('Stopped', ASK));
    const { written, ended } = startCli(['runs', 'follow', id], env);
    await until(() => written.stderr.includes(`deckhand approve ${id}`));
    expect(await json('runs', 'stop', id)).toEqual({ executionId: id, status: 'stopped' });
    expect(await ended).toMatchObject({ exitCode: 12 });
  });

  it('ends with Ctrl+C or after --timeout, and says that the run continues', async () => {
    const id = await startWaiting(await stack.createWorkflow('Continues', ASK));
    const { child, written, ended } = startCli(['runs', 'follow', id], env);
    await until(() => written.stderr.includes('waits for a decision'));
    child.kill('SIGINT');
    const left = await ended;
    expect(left).toMatchObject({ exitCode: 130, stdout: '' });
    expect(left.stderr).toContain(`Run ${id} continues: "deckhand runs follow ${id}" follows it`);
    const late = await runCli(['runs', 'follow', id, '--timeout', '1'], env);
    expect(late).toMatchObject({ exitCode: 124, stdout: '' });
    expect(late.stderr).toContain(`Not finished within 1 s. Run ${id} continues`);
    expect(await statusOf(id)).toBe('waiting_for_input');
  });
});

describe('runs', () => {
  it('list filters, also by the name of a workflow', async () => {
    const id = await stack.createWorkflow('Listed', FAIL);
    const { stdout } = await runCli(['run', id, '--follow', '--json', '--tag', 'nightly'], env);
    const { executionId } = JSON.parse(stdout) as { executionId: string };
    await json('run', id);
    const filters = ['--workflow', 'Listed', '--status', 'failed', '--tag', 'nightly', '--since', '1h', '--limit', '5'];
    expect(await json('runs', 'list', ...filters)).toMatchObject([{ executionId, status: 'failed' }]);
    const table = await runCli(['runs', 'list', ...filters], env);
    expect(table.stdout).toMatch(
      new RegExp(`^run +status[^\\n]+\\n${executionId} +failed +Listed[^\\n]+out of stock\\n$`),
    );
    const none = await runCli(['runs', 'list', '--search', 'nowhere to be found'], env);
    expect(none).toMatchObject({ exitCode: 0, stdout: 'No run matches.\n' });
  });

  it('get and logs show a run node by node, what scripts wrote, and the output of one node', async () => {
    const source = 'console.log("hello", $trigger.amount); return { seen: $trigger.amount };';
    await stack.createWorkflow('Scripted', chain({ id: 'script', type: 'code', parameters: { source } }));
    const run = await runCli(
      ['run', 'Scripted', '--input', '{"amount":5}', '--mode', 'debug', '--follow', '--json'],
      env,
    );
    const { executionId: id } = JSON.parse(run.stdout) as { executionId: string };
    const shown = await runCli(['runs', 'get', id], env);
    expect(shown.stdout).toMatch(/mode +debug\n/);
    expect(shown.stdout).toMatch(/✓ start[^\n]*\n✓ script/);
    const logs = await runCli(['runs', 'logs', id], env);
    expect(logs.stdout).toMatch(/success {2}script[^\n]*\n {4}hello 5\n$/);
    const output = await runCli(['runs', 'logs', id, '--node', 'script'], env);
    expect(JSON.parse(output.stdout)).toEqual({ seen: 5 });
    expect(await json('runs', 'get', id)).toMatchObject({ progress: { script: { output: { seen: 5 } } } });
  });

  it('rerun starts a new run, and open shows its page', async () => {
    await stack.createWorkflow('Rerun', DOUBLE);
    const first = await runCli(['run', 'Rerun', '--input', '{"amount":2}', '--follow', '--json'], env);
    const { executionId: id } = JSON.parse(first.stdout) as { executionId: string };
    const second = await runCli(['runs', 'rerun', id, '--from-node', 'end', '--follow', '--json'], env);
    expect(JSON.parse(second.stdout)).toMatchObject({ rerunOf: id, status: 'success', result: { body: 4 } });
    const bin = join(env.XDG_CONFIG_HOME!, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${bin}/opened\n`, { mode: 0o755 });
    const opened = await runCli(['runs', 'open', id], { ...env, PATH: `${bin}:${process.env.PATH ?? ''}` });
    const address = `${stack.url}/w/${stack.workspaceId}/runs/${id}`;
    expect(opened).toMatchObject({ exitCode: 0, stdout: `${address}\n` });
    await until(async () => (await readFile(join(bin, 'opened'), 'utf8')) === address);
    expect(await json('runs', 'open', id, '--print')).toEqual({ url: address });
  });
});

describe('tail', () => {
  it('shows runs as they start and end, also after the connection was lost, until Ctrl+C', async () => {
    const workflowId = await stack.createWorkflow('Watched', ASK);
    await startWaiting(workflowId);
    const proxy = await startTcpProxy(stack.url);
    const { child, written, ended } = startCli(['tail', '--workflow', 'Watched'], { ...env, DECKHAND_URL: proxy.url });
    await until(() => written.stderr.includes('Waiting for runs'));
    const id = await startWaiting(workflowId);
    await until(() => written.stdout.includes(`${id}  waiting_for_input  Watched`));
    await proxy.cut();
    await json('approve', id);
    await until(() => written.stderr.includes('Trying again'));
    await proxy.restore();
    await until(() => written.stdout.includes(`${id}  success  Watched`));
    child.kill('SIGINT');
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(130);
    // Nothing of the run that waited before.
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .every((line) => line.includes(id)),
    ).toBe(true);
  });
});

describe('approve', () => {
  it('lists what waits, and decides', async () => {
    const choices = { message: 'How much?', choices: ['all', 'half'] };
    const workflowId = await stack.createWorkflow('Asks', chain({ id: 'ask', type: 'approval', parameters: choices }));
    const id = await startWaiting(workflowId);
    const listed = await runCli(['approve'], env);
    expect(listed.stdout).toMatch(new RegExp(`${id} +ask +Asks .*all, half +How much\\?\\n`));
    const wrong = await runCli(['approve', id], env);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('approved is not a choice of ask: use --decision with one of all, half.');
    const decided = await json('approve', id, '--decision', 'half', '--comment', 'enough');
    expect(decided).toMatchObject({ executionId: id, decision: 'half' });
    await until(async () => (await statusOf(id)) === 'success');
    expect(await stack.say('GET', `/api/executions/${id}`)).toMatchObject({
      data: { approvals: [{ decision: 'half', comment: 'enough' }] },
    });
    const again = await runCli(['approve', id, '--decision', 'all'], env);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain('its status is success');
  });

  it('rejects, and names the waits of a run with several', async () => {
    const both: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'one', type: 'approval', parameters: { message: '1?' } },
        { id: 'two', type: 'approval', parameters: { message: '2?' } },
      ],
      edges: [
        { source: 'start', target: 'one' },
        { source: 'start', target: 'two' },
      ],
    };
    const id = await startWaiting(await stack.createWorkflow('Asks twice', both));
    const several = await runCli(['approve', id, '--reject'], env);
    expect(several).toMatchObject({ exitCode: 2 });
    expect(several.stderr).toMatch(
      /waits for 2 approvals: name one with --wait: \S+ \((one|two)\), \S+ \((one|two)\)\.\n$/,
    );
    expect(await json('approve', id, '--reject', '--node', 'two')).toMatchObject({
      nodeId: 'two',
      decision: 'rejected',
    });
    expect(await json('approve', id, '--node', 'one')).toMatchObject({ nodeId: 'one', decision: 'approved' });
  });

  it('asks on a terminal', async () => {
    const id = await startWaiting(await stack.createWorkflow('Asks a person', ASK));
    for (const other of await json<{ id: string }[]>('approve'))
      if (other.id !== id) await json('runs', 'stop', other.id);
    const { stdout } = await runCliOnTerminal(['approve'], env, [
      { to: 'Which approval?', keys: '\r' },
      { to: 'rejected', keys: '\u001b[B\r' },
    ]);
    expect(stdout).toContain(`rejected: run ${id} continues.`);
  });
});

describe('on a terminal', () => {
  it('a run is a tree in colors that is drawn in its place', async () => {
    await stack.createWorkflow('Drawn', CHECK);
    const { stdout, exitCode } = await runCliOnTerminal(['run', 'Drawn', '--input', '{"amount":1}', '--follow'], env);
    expect(exitCode).toBe(0);
    const last = plain(stdout.slice(stdout.lastIndexOf('Drawn')));
    expect(last).toMatch(
      /^Drawn +\S+ +success [^\n]*\n✓ start[^\n]*\n✓ check[^\n]*\n├─ – big \(true\) +skipped\n└─ ✓ small \(false\)[^\n]*\n✓ end/,
    );
    expect(stdout).toContain('\u001b[32m✓ \u001b[39m');
  });

  it('NO_COLOR leaves colors out', async () => {
    const { stdout } = await runCliOnTerminal(['workflows', 'list'], { ...env, NO_COLOR: '1' });
    expect(stdout).toContain('Drawn');
    expect(stdout).not.toContain('\u001b[3');
  });
});

describe('text of others', () => {
  // Clears the screen, sets the title of the window, and hides what follows; also by C1 controls and text direction.
  const EVIL = '\u001b[2J\u001b]0;owned\u0007 \u009b31m \u202e txt.exe';

  it('reaches no terminal raw, and is unchanged in JSON', async () => {
    const id = await stack.createWorkflow(
      `Evil ${EVIL}`.slice(0, 60),
      chain(
        { id: 'set', name: `Node ${EVIL}`, type: 'set', parameters: { fields: { evil: '{{ $trigger.evil }}' } } },
        { id: 'end', type: 'fail', parameters: { message: '{{ $input.evil }}' } },
      ),
    );
    const input = JSON.stringify({ evil: EVIL });
    // The harness refuses control characters in everything that is written.
    const failed = await runCli(['run', id, '--input', input, '--follow'], env);
    expect(failed).toMatchObject({ exitCode: 10 });
    expect(failed.stdout).toContain('\\u001b[2J\\u001b]0;owned\\u0007 \\u009b31m \\u202e txt.exe');
    const [run] = await json<{ executionId: string; error: { message: string } }[]>('runs', 'list', '--workflow', id);
    expect(run?.error.message).toBe(EVIL);
    for (const args of [
      ['runs', 'list'],
      ['runs', 'get', run!.executionId],
      ['workflows', 'list'],
      ['workflows', 'get', id],
    ]) {
      expect((await runCli(args, env)).stdout).toContain('\\u001b[2J');
    }
    const output = await runCli(['runs', 'logs', run!.executionId, '--node', 'set'], env);
    expect(JSON.parse(output.stdout)).toEqual({ evil: EVIL });
    expect((await runCli(['run', EVIL], env)).stderr).toContain('No workflow is named \\u001b[2J');
    expect((await runCli(['run', id, `--${EVIL}`], env)).stderr).toContain("unknown option '--\\u001b[2J");
    const drawn = await runCliOnTerminal(['runs', 'follow', run!.executionId], env);
    for (const raw of ['\u001b[2J', '\u001b]', '\u0007', '\u009b', '\u202e']) expect(drawn.stdout).not.toContain(raw);
  });
});

/** Removes the colors of a text of a terminal. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these begin with one
  return text.replace(/\u001b\[\d+m/g, '').replaceAll('\r\n', '\n');
}
