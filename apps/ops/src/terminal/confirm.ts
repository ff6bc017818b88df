import { confirm as ask, isCancel } from '@clack/prompts';
import { ExitError, misused } from '../exit.ts';

/**
 * Asks a person for confirmation, unless `--yes` is given.
 * @throws ExitError if the answer is no, or the input is not a terminal.
 */
export async function confirm(message: string, options: { readonly yes?: boolean | undefined }): Promise<void> {
  if (options.yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw misused(
      'Nothing was done: there is no terminal for a confirmation. Use --yes to skip it, or --dry-run to change nothing.',
    );
  }
  const answer = await ask({ message, initialValue: false, output: process.stderr });
  if (isCancel(answer) || !answer) throw new ExitError('Nothing was done.');
}
