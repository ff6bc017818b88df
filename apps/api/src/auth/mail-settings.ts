import type { MailMessage } from '@deckhand/engine';
import { SettingsError } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** Settings of the messages that the service itself sends. Without SMTP_URL it sends none. */
export const MailEnvironment = {
  /** Such as smtps://user:password@mail.example:465; smtp:// uses STARTTLS where the server offers it. */
  SMTP_URL: Type.Optional(Type.String({ pattern: '^smtps?://' })),
  /** The sender, such as Deckhand <deckhand@example.com>. */
  SMTP_FROM: Type.Optional(Type.String({ pattern: '@' })),
};

/** The server that accepts messages, and their sender. */
export interface MailSettings {
  readonly server: MailMessage['server'];
  readonly from: string;
}

/** Reads the settings of messages. @returns undefined if none are sent. @throws SettingsError naming what is wrong. */
export function readMailSettings({
  SMTP_URL: address,
  SMTP_FROM: from,
}: Static<ReturnType<typeof Type.Object<typeof MailEnvironment>>>): MailSettings | undefined {
  if (address === undefined) return undefined;
  if (from === undefined) throw new SettingsError('Bad settings: SMTP_URL needs SMTP_FROM');
  if (!URL.canParse(address)) throw new SettingsError('Bad settings: SMTP_URL is not an address');
  const { protocol, hostname, port, username, password } = new URL(address);
  const secure = protocol === 'smtps:';
  return {
    from,
    server: {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      ...(username === '' ? {} : { username: decoded(username), password: decoded(password) }),
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingsError('Bad settings: the name or the password of SMTP_URL has a % that must be written as %25');
  }
}
