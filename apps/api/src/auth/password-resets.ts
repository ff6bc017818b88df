import { DeckhandError } from '@deckhand/contracts';
import { createPasswordReset, type Database } from '@deckhand/db';
import type { MailSender } from '@deckhand/engine';
import type { Logger } from '@deckhand/runtime';
import { createHash } from 'node:crypto';
import type { MailSettings } from './mail-settings.ts';
import type { RequestLimit } from './request-limit.ts';
import { type PasswordRules, requirePasswordAllowed } from './sign-on-settings.ts';
import { createSecret, hashSecret } from './tokens.ts';

/** How long sending a message may take, in ms. */
const SEND_LIMIT_MS = 60_000;
/** Maximum number of messages that are sent at the same time: a caller must not open any number of connections. */
const MAX_SENDING = 20;

/** Sends links to a new password. */
export interface PasswordResets {
  /** Sends a link in the background, if an active person who may have a password has the address. Logs failures. */
  send(email: string): void;
  /** Resolves once the messages in progress are sent or have failed. */
  drain(): Promise<void>;
}

/** Creates it. @param limit limits the messages to one address. */
export function createPasswordResets({
  db,
  mails,
  settings,
  limit,
  rules,
  publicUrl,
  logger,
}: {
  readonly db: Database;
  readonly mails: MailSender;
  readonly settings: MailSettings;
  readonly limit: RequestLimit;
  readonly rules: PasswordRules;
  readonly publicUrl: string;
  readonly logger: Logger;
}): PasswordResets {
  const sending = new Set<Promise<void>>();

  async function send(email: string): Promise<void> {
    try {
      requirePasswordAllowed(rules, email);
      await limit.count(createHash('sha256').update(email.toLowerCase()).digest('base64url'));
      const token = createSecret();
      const reset = await createPasswordReset(db, {
        ...{ email, tokenHash: hashSecret(token), breakGlass: rules.breakGlass },
      });
      if (!reset) return;
      // In the fragment of the link, which browsers do not send, so no log of a proxy contains it.
      const link = `${publicUrl}/reset-password#${token}`;
      await mails.send({
        ...{ server: settings.server, from: settings.from, to: [reset.email], cc: [], bcc: [], replyTo: undefined },
        subject: 'Set a new password for Deckhand',
        text: textOf(reset.name, link),
        ...{ html: undefined, headers: { 'auto-submitted': 'auto-generated' }, attachments: [] },
        idempotencyKey: hashSecret(token),
        signal: AbortSignal.timeout(SEND_LIMIT_MS),
      });
    } catch (err) {
      // Expected refusals would show in the log who has an account, or who asks often.
      if (!(err instanceof DeckhandError && err.status < 500))
        logger.error({ err }, 'a link to a new password was not sent');
    }
  }

  return {
    send(email) {
      if (sending.size >= MAX_SENDING) {
        logger.warn({ sending: sending.size }, 'a link to a new password was not sent: too many are being sent');
        return;
      }
      const sent = send(email).finally(() => sending.delete(sent));
      sending.add(sent);
    },
    async drain() {
      await Promise.all(sending);
    },
  };
}

function textOf(name: string, link: string): string {
  return [
    `Hello ${name},`,
    'somebody asked for a new password for your Deckhand account. Set one within an hour:',
    link,
    'The link works once. If it was not you, ignore this message: your password stays the same.',
  ].join('\n\n');
}
