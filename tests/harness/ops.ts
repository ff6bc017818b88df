import { appEntry, type CommandRun, runCommand, runOnTerminal } from './commands.ts';

/** Runs the operators' command without a terminal. */
export function runOps(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandRun> {
  return runCommand(appEntry('ops'), args, env);
}

/** Runs it on a terminal of its own, where a person types `keys` once it asks. */
export function runOpsOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  keys: string,
): Promise<CommandRun> {
  return runOnTerminal(appEntry('ops'), args, env, [{ to: 'Yes', keys }]);
}
