import type { MailMessage } from '@deckhand/engine';
import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type MimeNode from 'nodemailer/lib/mime-node';

/** Returns a message in the form in which it is sent. Its domains are in ASCII wherever its addresses allow it. */
export async function compose(message: MailMessage): Promise<MimeNode> {
  // Loaded on first use: most processes send no messages.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = message;
  return new MailComposer({
    // Messages contain only given content, never files of this machine or fetched content.
    disableFileAccess: true,
    disableUrlAccess: true,
    messageId: messageIdOf(message),
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    headers: { ...headers },
    replyTo,
    text,
    html,
    attachments: attachments.map(({ filename, content, contentType }) => ({
      filename,
      content: Buffer.from(content),
      contentType,
    })),
  }).compile();
}

/** The same when a message is sent again; its right side is the sender's domain (RFC 5322, 3.6.4). */
function messageIdOf({ idempotencyKey, from }: MailMessage): string {
  const [domain = ''] = /[^@<>\s]+(?=>?\s*$)/.exec(from) ?? [];
  const hash = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);
  return `<${hash}@${domainToASCII(domain) || 'deckhand.invalid'}>`;
}
