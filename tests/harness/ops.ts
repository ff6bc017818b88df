import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY } from '@deckhand/local';

/** How an operator's command ended. */
export interface OpsRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const COMMAND = join(REPOSITORY, 'apps/ops/dist/main.js');

/** Runs the built command without a terminal. Nothing of this process's environment reaches it but PATH. */
export function runOps(args: readonly string[], env: Readonly<Record<string, string>>): Promise<OpsRun> {
  return collect(process.execPath, [COMMAND, ...args], env, '');
}

/**
 * Runs the built command on a terminal of its own, where a person types `keys`. What it writes comes together, in
 * `stdout`.
 */
export function runOpsOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  keys: string,
): Promise<OpsRun> {
  // A terminal of no size would break every line after a letter.
  const line = `stty cols 120 rows 40; exec ${[process.execPath, COMMAND, ...args].join(' ')}`;
  return collect('script', ['--quiet', '--return', '--command', line, '/dev/null'], { ...env, TERM: 'xterm' }, keys);
}

function collect(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  keys: string,
): Promise<OpsRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
    let [stdout, stderr] = ['', ''];
    let isAsked = false;
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
      // Typed once it asks: a terminal would show what comes before.
      if (keys === '' || isAsked || !stdout.includes('Yes')) return;
      isAsked = true;
      child.stdin.write(keys);
    });
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
