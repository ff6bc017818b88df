import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandLine } from './leftover.ts';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import { NotReadyError, waitReady } from './wait-ready.ts';

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'deckhand-test-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function run(source: string, graceMs?: number): Promise<ManagedProcess> {
  return startProcess({
    name: 'child',
    command: process.execPath,
    args: ['-e', source],
    env: {},
    logPath: join(dir, `${Math.random()}.log`),
    ...(graceMs === undefined ? {} : { graceMs }),
  });
}

const saysReady = (child: ManagedProcess) => (): Promise<boolean> => Promise.resolve(child.output().includes('ready'));

describe('a managed process', () => {
  it('keeps what it writes and stops when it is asked to', async () => {
    const child = await run(
      "process.on('SIGTERM', () => process.exit(7)); console.log('ready'); setInterval(() => {}, 1000)",
    );
    await waitReady(child, saysReady(child));
    expect(child.isRunning()).toBe(true);
    await child.stop();
    expect(await child.ended).toBe('code 7');
    expect(child.isRunning()).toBe(false);
    await child.stop();
  });

  it('is killed when it does not stop within its grace period', async () => {
    const child = await run("process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)", 100);
    await waitReady(child, saysReady(child));
    await child.stop();
    expect(await child.ended).toBe('SIGKILL');
  });

  it('says how it ended and what it wrote when it ends before it is ready', async () => {
    const child = await run("console.error('no port'); process.exit(3)");
    const waiting = waitReady(child, () => Promise.resolve(false));
    await expect(waiting).rejects.toThrow(NotReadyError);
    await expect(waiting).rejects.toThrow('child ended (code 3) while starting. The end of its log:\nno port\n');
  });

  it('says so when the program is missing', async () => {
    const starting = startProcess({
      name: 'nothing',
      command: '/nowhere',
      args: [],
      env: {},
      logPath: join(dir, 'none.log'),
    });
    await expect(starting).rejects.toThrow(/nothing cannot be started/);
  });

  it('does not outlive the process that started it, even when that one is killed', async () => {
    const pidOf = await orphan();
    const deadline = Date.now() + 5_000;
    while ((await commandLine(pidOf))?.includes('setInterval') && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await commandLine(pidOf)) ?? '').not.toContain('setInterval');
  });
});

/** Starts a process with a shell that our guard watches, kills the process, and returns the child's number. */
async function orphan(): Promise<number> {
  const source = `
    import { startProcess } from ${JSON.stringify(join(import.meta.dirname, 'managed-process.ts'))};
    const child = await startProcess({ name: 'grandchild', command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'], env: {}, logPath: ${JSON.stringify(join(dir, 'orphan.log'))} });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
  });
  parent.kill('SIGKILL');
  return pid;
}
