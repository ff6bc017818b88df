import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

/**
 * Starts a process that runs test files one after another.
 * @param options.env variables in addition to this process's.
 */
export function startChild(rootDir, { env = {}, stdio = 2 } = {}) {
  const child = fork(CHILD, [], {
    cwd: rootDir,
    env: { ...process.env, NODE_COMPILE_CACHE: join(rootDir, '.deckhand/compile-cache'), ...env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // The standard output of Jest is for its results.
    stdio: ['ignore', stdio, stdio, 'ipc'],
    serialization: 'advanced',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));

  return {
    /** Runs a test file. @throws if it cannot be loaded, or the process ends meanwhile. */
    run(task) {
      return new Promise((resolve, reject) => {
        const failed = (code, signal) => reject(new Error(`The process of the test file ended (${signal ?? code}).`));
        child.once('exit', failed);
        child.once('message', (message) => {
          child.off('exit', failed);
          if (message.error) reject(Object.assign(new Error(message.error.message), { stack: message.error.stack }));
          else resolve(message);
        });
        child.send(task, (error) => error && reject(error));
      });
    },
    /** Lets the process end; it may stop what its files share first. */
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
    /** Ends the process at once. */
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
