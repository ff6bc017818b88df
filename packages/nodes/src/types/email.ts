import type { Fault } from '@deckhand/contracts';
import { defineNodeType, type MailAttachment, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';

/** All attachments of a message together, in bytes. */
const MAX_ATTACHMENT_BYTES = 26_214_400;

const Address = Type.String({
  minLength: 3,
  maxLength: 1_000,
  description: 'ada@example.com or Ada <ada@example.com>',
});
const Addresses = (description: string) =>
  Type.Unsafe<string | readonly string[]>({
    type: ['string', 'array'],
    items: { type: 'string', minLength: 3, maxLength: 1_000 },
    maxItems: 100,
    description: `${description}: an address, or a list of them`,
  });

export default defineNodeType({
  type: 'email',
  title: 'Send an email',
  description:
    'Sends a message by SMTP and answers `{ messageId, accepted, rejected }`: the addresses that the server took, and those that it refused. The Message-ID stays the same when the node is run again. A password is sent to public servers only over TLS.',
  category: 'action',
  hasEffects: true,
  credential: { types: ['smtp'], needed: () => ['smtp'] },
  parameters: Type.Object(
    {
      from: Type.String({ minLength: 3, maxLength: 1_000, description: 'ada@example.com or Ada <ada@example.com>' }),
      to: Addresses('Who gets it'),
      cc: Type.Optional(Addresses('Who gets a copy')),
      bcc: Type.Optional(Addresses('Who gets a copy unseen')),
      replyTo: Type.Optional({ ...Address, description: 'Where answers go, if not to `from`' }),
      subject: Type.String({ maxLength: 1_000, description: 'The subject' }),
      text: Type.Optional(Type.String({ description: 'The message as plain text' })),
      html: Type.Optional(Type.String({ description: 'The message as HTML, beside or in place of the text' })),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), Type.String({ maxLength: 1_000 }), {
          description: 'Further headers: name → value',
        }),
      ),
      attachments: Type.Optional(
        Type.Array(
          Type.Object(
            {
              filename: Type.String({ minLength: 1, maxLength: 255, description: 'Its name' }),
              content: Type.String({ description: 'What it holds' }),
              encoding: Type.Optional(
                Type.Enum(['utf8', 'base64'], { default: 'utf8', description: 'How `content` is written' }),
              ),
              contentType: Type.Optional(
                Type.String({ pattern: '^[\\w.+-]+/[\\w.+-]+', description: 'Found by the name without it' }),
              ),
            },
            { additionalProperties: false },
          ),
          { maxItems: 50, description: 'Files that go with it, 25 MB at most in all' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check({ text, html }): Fault[] {
    if (text !== undefined || html !== undefined) return [];
    return [{ path: 'text', message: 'is required unless there is html' }];
  },
  sample: () => ({ messageId: '<sample@example.com>', accepted: ['ada@example.com'], rejected: [] }),
  async run(parameters, { services, signal, idempotencyKey, credential }) {
    const found = await credential();
    if (found?.type !== 'smtp') {
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type smtp', { isRetryable: false });
    }
    const { from, to, cc = [], bcc = [], replyTo, subject, text, html, headers = {}, attachments = [] } = parameters;
    const { messageId, accepted, rejected } = await services.mail.send({
      server: found.secret,
      from,
      to: [to].flat(),
      cc: [cc].flat(),
      bcc: [bcc].flat(),
      replyTo,
      subject,
      text,
      html,
      headers,
      attachments: checkSize(
        attachments.map(({ filename, content, encoding = 'utf8', contentType }) => ({
          filename,
          content: Buffer.from(content, encoding),
          contentType,
        })),
      ),
      idempotencyKey,
      signal: signal(),
    });
    return output({ messageId, accepted, rejected });
  },
});

function checkSize(attachments: readonly MailAttachment[]): readonly MailAttachment[] {
  const bytes = attachments.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (bytes <= MAX_ATTACHMENT_BYTES) return attachments;
  const message = `parameters.attachments must hold at most ${MAX_ATTACHMENT_BYTES} bytes in all`;
  throw new NodeError('PARAMETERS_INVALID', message, { isRetryable: false });
}
