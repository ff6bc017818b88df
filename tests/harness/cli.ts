import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopLater } from './cleanup.ts';
import { type Answer, appEntry, type CommandRun, runCommand, runOnTerminal, startCommand } from './commands.ts';
import { type OwnedStack, startOwnedStack } from './console.ts';
import { OWNER } from './gateway.ts';

/** A started instance, and the users' command with a key for it. */
export interface CliStack extends OwnedStack {
  readonly key: string;
  /** URL and key; a folder for profiles that has none yet. */
  readonly cliEnv: Readonly<Record<string, string>>;
}

/** Starts the stack, with a key of full access. */
export async function startCliStack(): Promise<CliStack> {
  const stack = await startOwnedStack();
  const key = await createApiKey(stack, { preset: 'full' });
  const config = await mkdtemp(join(tmpdir(), 'deckhand-cli-'));
  stopLater({ stop: () => rm(config, { recursive: true, force: true }) });
  const cliEnv = { DECKHAND_URL: stack.url, DECKHAND_API_KEY: key, XDG_CONFIG_HOME: config };
  return { ...stack, key, cliEnv };
}

/** Creates an API key of the owner. */
export async function createApiKey(stack: OwnedStack, options: object): Promise<string> {
  const body = { name: 'CLI', password: OWNER.password, ...options };
  return (await stack.say<{ key: string }>('POST', '/api/api-keys', body)).key;
}

/** Characters that a terminal would act on. A line feed ends lines. */
// oxlint-disable-next-line no-control-regex -- these are what must not be there
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/** Runs the command without a terminal. @throws if it writes an API key, or what a terminal would act on. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<CommandRun> {
  const run = await runCommand(appEntry('cli'), args, env, input);
  for (const text of [run.stdout, run.stderr]) {
    if (/dk_\w{8}/.test(text)) throw new Error(`${args.join(' ')} writes a key`);
    if (CONTROL.test(text))
      throw new Error(`${args.join(' ')} writes ${JSON.stringify(CONTROL.exec(text)?.[0])}: ${text}`);
  }
  return run;
}

/** Starts the command without a terminal. */
export function startCli(args: readonly string[], env: Readonly<Record<string, string>>) {
  return startCommand(appEntry('cli'), args, env);
}

/** Runs the command on a terminal of its own. */
export function runCliOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answers?: readonly Answer[],
): Promise<CommandRun> {
  return runOnTerminal(appEntry('cli'), args, env, answers);
}
