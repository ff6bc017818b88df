import { openSecretBox, readSettings } from '@deckhand/runtime';
import { confirm, EXIT, ExitError, printMessage, printResult, showProgress } from '@deckhand/terminal';
import { Command } from 'commander';
import { type LockedRow, checkSecrets, type Pass, resealAll } from '../keys/rotate.ts';
import { withDatabase } from '../open-database.ts';
import { KeySettings } from '../settings.ts';

/** Maximum number of passes: each finds the few secrets that were saved during the pass before. */
const MAX_PASSES = 10;
/** Maximum number of undecryptable rows that are listed. */
const MAX_NAMED = 10;

interface RotateOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Creates `rotate-keys`, which encrypts every secret with the present key. */
export function rotateKeysCommand(): Command {
  return new Command('rotate-keys')
    .summary('encrypt every secret with ENCRYPTION_KEY, so that old keys can be removed')
    .description(
      'Decrypts what former keys encrypted (credentials, secrets of event endpoints and of authenticators, ID tokens of sessions, and secret parameters of all versions of workflows) and ' +
        'encrypts it with ENCRYPTION_KEY. A secret that is replaced meanwhile stays as it was replaced. If it is interrupted, run it again. Needs ' +
        'DATABASE_URL, ENCRYPTION_KEY and ENCRYPTION_KEYS_OLD; the latter two must be the same as those of the API and the workers.\n\n' +
        'To change the key while everything runs:\n' +
        '  1. Give the API and the workers the new key as ENCRYPTION_KEYS_OLD, and restart them: now all of them can decrypt with both keys.\n' +
        '  2. Swap: the new key as ENCRYPTION_KEY, the former as ENCRYPTION_KEYS_OLD, and restart them.\n' +
        '  3. Once all are restarted: rotate-keys, with the same two settings.\n' +
        '  4. Remove ENCRYPTION_KEYS_OLD, and restart them. Keep the former key as long as backups that need it.',
    )
    .option(
      '--dry-run',
      'only show how many secrets would be encrypted again, and whether the keys can decrypt all of them',
    )
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action(async ({ dryRun, yes, json }: RotateOptions) => {
      const settings = readSettings(KeySettings);
      const box = openSecretBox(settings);
      const { locked } = await withDatabase(settings, async (db) => {
        const before = await checkSecrets(db, box);
        const total = count(before);
        printLocked(before.locked);
        if (dryRun || total === 0) {
          printResult(json, { keyId: box.keyId, resealed: 0, ...before }, () => [describe(before, box.keyId)]);
          return before;
        }
        printMessage(describe(before, box.keyId));
        await confirm(`Encrypt ${total} with the key ${box.keyId}?`, { yes });
        const progress = showProgress('encrypting', total);
        let resealed = 0;
        let pass = before;
        for (let round = 0; round < MAX_PASSES && count(pass) > 0; round += 1) {
          pass = await resealAll(db, box, (rows) => {
            resealed += rows;
            progress.advance(rows);
          });
        }
        const after = await checkSecrets(db, box);
        progress.stop('');
        printResult(json, { keyId: box.keyId, resealed, ...after }, () => [
          `Encrypted ${resealed} again. ${describe(after, box.keyId)}`,
        ]);
        if (count(after) > 0)
          throw new ExitError('Old keys are still in use: restart the processes that have one as ENCRYPTION_KEY.');
        return after;
      });
      // Without its ID token, a session only does not end the one of its provider; it expires by itself.
      if (locked.some(({ holder }) => holder !== 'idToken')) process.exitCode = EXIT.failed;
    });
}

function count({ stale }: Pass): number {
  return Object.values(stale).reduce((sum, rows) => sum + rows, 0);
}

function describe(pass: Pass, keyId: string): string {
  const { rows, stale, locked } = pass;
  if (count(pass) > 0) {
    return `Of ${rows} with secrets, ${stale.credential} credentials, ${stale.connection} connections, ${stale.eventSecret} secrets of event endpoints, ${stale.idToken} ID tokens of sessions, ${stale.authenticator} secrets of authenticators and ${stale.version} versions of workflows are encrypted with former keys.`;
  }
  return locked.length > 0
    ? `All that can be decrypted are encrypted with the key ${keyId}; ${locked.length} cannot be decrypted.`
    : `All ${rows} are encrypted with the key ${keyId}: ENCRYPTION_KEYS_OLD can be removed.`;
}

function printLocked(locked: readonly LockedRow[]): void {
  for (const { holder, id, reason } of locked.slice(0, MAX_NAMED))
    printMessage(`${holder} ${id} cannot be decrypted: ${reason}`);
  if (locked.length > MAX_NAMED) printMessage(`and ${locked.length - MAX_NAMED} more`);
}
