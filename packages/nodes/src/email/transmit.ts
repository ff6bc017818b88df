import { NodeError } from '@deckhand/engine';
import type MimeNode from 'nodemailer/lib/mime-node';
import type {
  default as Connection,
  SMTPConnectionOptions,
  SMTPConnectionSendInfo,
} from 'nodemailer/lib/smtp-connection';

const NON_ASCII = /[^\0-\x7f]/;
/** The line of a response to EHLO with which a server offers SMTPUTF8 (RFC 6531). */
const OFFERS_UTF8 = /^250[ -]SMTPUTF8\b/im;

/** How to reach a server; `login` is used where the server lets clients sign in. */
export interface Route extends SMTPConnectionOptions {
  readonly login: { readonly user: string; readonly pass: string } | undefined;
}

/**
 * Sends a composed message to a server.
 * @throws NodeError EMAIL_ADDRESS_UNSUPPORTED, before anything of the message is sent; what nodemailer reports.
 */
export function transmit(mail: MimeNode, route: Route): Promise<SMTPConnectionSendInfo> {
  return converse(route, async (smtp, logIn) => {
    checkAddresses(mail, OFFERS_UTF8.test(String(smtp.lastServerResponse)));
    await logIn();
    const envelope = mail.getEnvelope();
    return new Promise((resolve, reject) => {
      smtp.send(envelope, mail.createReadStream(), (error, info) => {
        if (error) reject(error);
        else resolve(info);
      });
    });
  });
}

/** Signs in to a server, and sends no message. @throws what nodemailer reports. */
export function signIn(route: Route): Promise<void> {
  return converse(route, (_smtp, logIn) => logIn());
}

/** Connects to a server for a conversation, which ends as soon as the connection does. */
async function converse<T>(
  { login, ...options }: Route,
  talk: (smtp: Connection, logIn: () => Promise<void>) => Promise<T>,
): Promise<T> {
  // Loaded on first use: most processes send no messages.
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  // nodemailer's transports do not say what the server offers, and send such addresses to every server.
  const smtp = new SMTPConnection(options);
  const ended = new Promise<never>((_resolve, reject) => {
    smtp.on('error', reject);
    smtp.once('end', () => reject(new Error('the connection was closed')));
  });
  const logIn = async (): Promise<void> => {
    if (login !== undefined && smtp.allowsAuth) await settled((done) => smtp.login({ ...login }, done));
  };
  const connected = async (): Promise<T> => {
    await settled((done) => smtp.connect(done));
    return talk(smtp, logIn);
  };
  try {
    return await Promise.race([connected(), ended]);
  } finally {
    smtp.close();
  }
}

/** An address with a UTF-8 local part has no ASCII form: a server without SMTPUTF8 may deliver to another address. */
function checkAddresses(mail: MimeNode, hasUtf8: boolean): void {
  if (hasUtf8) return;
  const { from, sender, 'reply-to': replyTo, to, cc, bcc } = mail.getAddresses();
  const address = [from, sender, replyTo, to, cc, bcc]
    .flatMap((list = []) => list.map((one) => one.address ?? ''))
    .find((one) => NON_ASCII.test(one));
  if (address === undefined) return;
  const reason = `the server does not support SMTPUTF8, which the address ${address} needs`;
  throw new NodeError('EMAIL_ADDRESS_UNSUPPORTED', reason, { isRetryable: false });
}

/** Turns the callback of a step into a promise. */
async function settled(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
