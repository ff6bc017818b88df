import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Runs in a process group of its own and reads commands from a pipe. The pipe closes when this process ends, even by
 * SIGKILL; then the guard stops the remaining processes, the youngest first.
 */
const SCRIPT = `
left=
while read -r verb pid signal; do
  case $verb in
    watch) left="$pid:$signal $left" ;;
    forget)
      kept=
      for entry in $left; do [ "\${entry%%:*}" = "$pid" ] || kept="$kept $entry"; done
      left=$kept ;;
  esac
done
for entry in $left; do
  pid=\${entry%%:*}
  kill -s "\${entry##*:}" "$pid" 2>/dev/null || continue
  ticks=0
  while kill -0 "$pid" 2>/dev/null && [ "$ticks" -lt 100 ]; do sleep 0.1; ticks=$((ticks + 1)); done
  kill -s KILL "$pid" 2>/dev/null
done
`;

let guard: ChildProcess | undefined;

/**
 * Ensures that process `pid` does not outlive this one. When this process ends for any reason, `pid` gets `signal`, and
 * SIGKILL ten seconds later if it still exists.
 */
export function watchOver(pid: number, signal: NodeJS.Signals): void {
  tell(`watch ${pid} ${signal.replace('SIG', '')}`);
}

/** Call when process `pid` has ended, because the system may reuse its number. */
export function forget(pid: number): void {
  tell(`forget ${pid}`);
}

function tell(line: string): void {
  guard ??= startGuard();
  guard.stdin?.write(`${line}\n`);
}

function startGuard(): ChildProcess {
  const child = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // The guard must not keep this process alive: it waits for its end.
  child.unref();
  const pipe = child.stdin as { unref?: () => void };
  pipe.unref?.();
  child.stdin.on('error', () => undefined);
  return child;
}
