import { confirm as askYesOrNo, isCancel, password, select, text } from '@clack/prompts';
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { ExitError, EXIT, misused } from './exit.ts';
import { clean } from './text.ts';

/** Returns whether a person can be asked. Questions go to the standard error. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

function left(): ExitError {
  return new ExitError('Nothing was done.', EXIT.interrupted);
}

/** Asks for a text. @throws ExitError if the person leaves. */
export async function askText(message: string, initialValue: string): Promise<string> {
  const answer = await text({ message: clean(message), initialValue, output: process.stderr });
  if (isCancel(answer)) throw left();
  return answer;
}

/** Asks for one of several. @throws ExitError if the person leaves. */
export async function askChoice<T>(
  message: string,
  choices: readonly { readonly value: T; readonly label: string }[],
): Promise<T> {
  const options = choices.map((choice, index) => ({ value: index, label: clean(choice.label) }));
  const index = await select<number>({ message: clean(message), options, output: process.stderr });
  const chosen = isCancel(index) ? undefined : choices[index];
  if (!chosen) throw left();
  return chosen.value;
}

/**
 * Asks a person to confirm a change, unless `--yes` is given.
 * @throws ExitError if the person declines, or nobody can be asked.
 */
export async function confirm(message: string, options: { readonly yes?: boolean | undefined }): Promise<void> {
  if (options.yes) return;
  if (!canAsk()) {
    throw misused(
      'Nothing was done: there is no terminal for a confirmation. Use --yes to skip it, or --dry-run to change nothing.',
    );
  }
  if (!(await isConfirmed(message))) throw new ExitError('Nothing was done.');
}

/** Asks a person on a terminal, and returns whether they agree. Those who leave do not. */
export async function isConfirmed(message: string): Promise<boolean> {
  const answer = await askYesOrNo({ message: clean(message), initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/**
 * Reads a secret: hidden while a person types it, otherwise from the standard input, without the line break at its end.
 * Never from an argument: other users of the machine see these, and shells remember them.
 */
export async function readSecret(what: string): Promise<string> {
  const secret = canAsk()
    ? await password({ message: clean(what), output: process.stderr })
    : await readStandardInput(what);
  if (isCancel(secret)) throw left();
  if (secret === '') throw misused(`${what} is empty: type it, or pipe it to the standard input.`);
  return secret;
}

/** Reads the standard input, without the line break at its end. @throws ExitError on a terminal. */
export async function readStandardInput(what: string): Promise<string> {
  if (process.stdin.isTTY) throw misused(`${what} is read from the standard input: pipe it to the command.`);
  return (await readAll(process.stdin)).replace(/\r?\n$/, '');
}

/**
 * Reads JSON from a text, a file, or with `-` the standard input. Numbers beyond the safe range become texts, as
 * the service reads them. @throws ExitError
 */
export async function readJson(given: string, what: string): Promise<unknown> {
  const isInline = /^\s*[[{"]/.test(given);
  let content = given;
  if (given === '-') content = await readStandardInput(what);
  else if (!isInline) {
    content = await readFile(given, 'utf8').catch((error: unknown) => {
      throw misused(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  try {
    return JSON.parse(content, withAllDigits);
  } catch (error) {
    throw misused(`${what} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function withAllDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return !Number.isFinite(value) || /^-?\d+$/.test(source) ? source : value;
}
