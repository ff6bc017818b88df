import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the full matrix of the fault-injection tests, which start stores and processes of their own: every statement of
 * a run's life fails before and after it landed, is slow, and is cancelled, with every SQLSTATE. It prints a table of
 * the cells and its counts.
 * @param minutes after which no new round begins. @returns whether no run was lost, doubled or left hanging.
 */
export async function faults(minutes: number): Promise<boolean> {
  const tests = spawn('npm', ['run', 'test:e2e', '--', '--testPathPatterns', 'faults/statement-faults'], {
    env: { ...process.env, FAULT_MATRIX: 'full', FAULT_SECONDS: String(minutes * 60) },
    stdio: 'inherit',
  });
  const exit: unknown[] = await once(tests, 'exit');
  return exit[0] === 0;
}
