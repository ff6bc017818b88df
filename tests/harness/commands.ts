import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { COMPILE_CACHE, REPOSITORY } from '@deckhand/local';
import { stopLater } from './cleanup.ts';

/** How a command ended. */
export interface CommandRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in progress. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly written: { stdout: string; stderr: string };
  readonly ended: Promise<CommandRun>;
}

/** What a person types once a text is shown. */
export interface Answer {
  readonly to: string;
  readonly keys: string;
}

/** Returns the path of the entry of an app. */
export function appEntry(app: 'ops' | 'cli'): string {
  return join(REPOSITORY, 'apps', app, 'src/main.ts');
}

/** Runs a command without a terminal. Nothing of this process's environment reaches it but PATH. */
export function runCommand(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandRun> {
  return startCommand(path, args, env, input).ended;
}

/** The same without waiting for its end. */
export function startCommand(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): RunningCommand {
  const command = start(process.execPath, [path, ...args], env);
  command.child.stdin?.end(input);
  return command;
}

/**
 * Runs a command on a terminal of its own, where a person answers. What it writes comes together, in `stdout`.
 * @param answers in the order of the questions: a terminal would show what is typed before.
 */
export function runOnTerminal(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answers: readonly Answer[] = [],
): Promise<CommandRun> {
  // A terminal of no size would break every line after a letter.
  const line = `stty cols 120 rows 40; exec ${[process.execPath, path, ...args].map(quoted).join(' ')}`;
  const { child, written, ended } = start('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    TERM: 'xterm',
    ...env,
  });
  const open = [...answers];
  let seen = 0;
  child.stdout?.on('data', () => {
    const [next] = open;
    const at = next ? written.stdout.indexOf(next.to, seen) : -1;
    if (!next || at === -1) return;
    seen = at + next.to.length;
    open.shift();
    child.stdin?.write(next.keys);
  });
  return ended;
}

/** Quotes a word for sh. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>>): RunningCommand {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: 'pipe',
  });
  const written = { stdout: '', stderr: '' };
  // A character may arrive in two parts.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  // A command that ends early reads no more.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<CommandRun>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, ...written }));
  });
  stopLater({
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  });
  return { child, written, ended };
}
