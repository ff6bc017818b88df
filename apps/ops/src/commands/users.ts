import { createPasswordResetByOperator, removeLostFactors } from '@deckhand/db';
import { readSettings } from '@deckhand/runtime';
import { confirm, misused, printResult } from '@deckhand/terminal';
import { Command } from 'commander';
import { createHash, randomBytes } from 'node:crypto';
import { withDatabase } from '../open-database.ts';
import { PeopleSettings } from '../settings.ts';

interface UserOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Creates `users`, which lets people in who cannot get in by themselves. */
export function usersCommand(): Command {
  return new Command('users')
    .summary('let people in who lost their password or second factor')
    .description('Needs DATABASE_URL alone. The audit log of the instance records what is done.')
    .addCommand(resetPasswordCommand())
    .addCommand(removeSecondFactorCommand());
}

function resetPasswordCommand(): Command {
  return new Command('reset-password')
    .summary('print a link to a new password, and end all sessions of the person')
    .description(
      'Prints a link that works once, within an hour; give it to the person. The password stays until it is used. All sessions of ' +
        'the person end now. API keys stay: they are revoked by `POST /api/users/{id}/deactivate`. Second factors stay, too: see ' +
        '`users remove-second-factor`. A person of an identity provider gets a link as well, unless OIDC_ONLY_DOMAINS refuses ' +
        'the password. Set PUBLIC_URL as for the API.',
    )
    .argument('<e-mail>', 'the address of the account')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { yes, json }: UserOptions) => {
      const settings = readSettings(PeopleSettings);
      if (settings.PUBLIC_URL === undefined) throw misused('PUBLIC_URL is not set: the link starts with it.');
      const base = settings.PUBLIC_URL.replace(/\/+$/, '');
      await confirm(`End all sessions of ${email}, and print a link to a new password?`, { yes });
      await withDatabase(settings, async (db) => {
        const token = randomBytes(32).toString('base64url');
        const tokenHash = createHash('sha256').update(token).digest('hex');
        const reset = await createPasswordResetByOperator(db, { email, tokenHash });
        if (!reset) throw misused(`No active person has the address ${email}.`);
        const link = `${base}/reset-password#${token}`;
        const expiresAt = reset.expiresAt.toISOString();
        printResult(json, { email: reset.email, link, expiresAt }, () => [link, `It works once, until ${expiresAt}.`]);
      });
    });
}

function removeSecondFactorCommand(): Command {
  return new Command('remove-second-factor')
    .summary('remove the passkeys and the authenticator app of a person who lost them')
    .description(
      'Removes them with the recovery codes, and ends all sessions of the person, who then signs in by the password alone. ' +
        'Make sure that it is the person who asks. If the instance requires a second factor, the person must add one at once.',
    )
    .argument('<e-mail>', 'the address of the account')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { yes, json }: UserOptions) => {
      const settings = readSettings(PeopleSettings);
      await confirm(`Remove the second factors of ${email}, and end all sessions?`, { yes });
      await withDatabase(settings, async (db) => {
        const done = await removeLostFactors(db, email);
        if (!done) throw misused(`Nobody has the address ${email}.`);
        printResult(json, { ...done }, () => [`Removed ${done.removed} second factors of ${done.email}.`]);
      });
    });
}
