import { fileName, isJsonObject, type JsonValue, mediaTypeOf, type ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, type MailAttachment, NodeError, type NodeFiles, output } from '@deckhand/engine';
import { encodeText, UnencodableError } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';
import { fileSource, FileParameter, readBytes } from '../files/file-source.ts';

/** Maximum size of all attachments of a message, in bytes. */
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

const Attachment = Type.Object(
  {
    filename: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Its name; by default that of `file`' }),
    ),
    file: Type.Optional(FileParameter('The file, instead of `content`')),
    content: Type.Optional(Type.String({ description: 'The content as a text or in base64' })),
    encoding: Type.Optional(
      Type.Enum(['utf8', 'base64'], {
        default: 'utf8',
        description: 'The encoding of `content`; a text is sent in the charset of `contentType`',
      }),
    ),
    contentType: Type.Optional(
      Type.String({
        pattern: '^[\\w.+-]+/[\\w.+-]+',
        description: 'The content type; by default that of `file`, or from the name',
      }),
    ),
  },
  { title: 'Attachment', additionalProperties: false },
);

export default defineNodeType({
  type: 'email',
  title: 'Send an email',
  description:
    'Sends a message by SMTP and returns `{ messageId, accepted, rejected }`: the addresses that the server accepted, and those that it refused. The Message-ID stays the same when the node is retried. A password is sent to public servers only over TLS. Addresses with characters beyond ASCII before the `@` need a server that supports SMTPUTF8; otherwise the node fails, and nothing is sent.',
  keywords: ['e-mail', 'mail', 'smtp', 'send message', 'notify', 'notification', 'gmail', 'outlook'],
  category: 'action',
  icon: 'mail',
  summary: 'to {to}',
  hasEffects: true,
  credential: { types: ['smtp'], needed: () => ['smtp'] },
  parameters: Type.Object(
    {
      from: Type.String({ minLength: 3, maxLength: 1_000, description: 'ada@example.com or Ada <ada@example.com>' }),
      to: Addresses('Who gets it'),
      cc: Type.Optional(Addresses('Who gets a copy')),
      bcc: Type.Optional(Addresses('Who gets a copy unseen')),
      replyTo: Type.Optional({ ...Address, description: 'Address for replies, if not `from`' }),
      subject: Type.String({ maxLength: 1_000, description: 'The subject' }),
      text: Type.Optional(Type.String({ description: 'The message as plain text' })),
      html: Type.Optional(
        Type.String({ description: 'The message as HTML, in addition to the text or instead of it' }),
      ),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), Type.String({ maxLength: 1_000 }), {
          description: 'Further headers: name → value',
        }),
      ),
      attachments: Type.Optional(
        Type.Array(Attachment, { maxItems: 50, description: 'Attached files, at most 25 MB in total' }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ text, html, attachments }): ValidationIssue[] {
    const given: JsonValue[] = [attachments ?? []].flat();
    const issues = given.flatMap((attachment, index) => attachmentIssues(attachment, `attachments.${index}`));
    if (text !== undefined || html !== undefined) return issues;
    return [{ path: 'text', message: 'is required unless there is html' }, ...issues];
  },
  sample: () => ({ messageId: '<sample@example.com>', accepted: ['ada@example.com'], rejected: [] }),
  errors: [
    'ADDRESS_REFUSED',
    'EMAIL_ADDRESS_UNSUPPORTED',
    'EMAIL_FAILED',
    'EMAIL_UNREACHABLE',
    'FILE_NOT_FOUND',
    'TEXT_TOO_LARGE',
  ],
  async run(parameters, { services, signal, idempotencyKey, credential, files }) {
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
      attachments: await readAttachments(attachments, files),
      idempotencyKey,
      signal: signal(),
    });
    return output({ messageId, accepted, rejected });
  },
  example: {
    trigger: { order: 17, buyer: 'ada@example.com' },
    credential: {
      type: 'smtp',
      secret: { host: 'mail.example.com', port: 587, username: 'shop', password: 'password' },
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'tell',
          type: 'email',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            from: 'The shop <shop@example.com>',
            to: '{{ $trigger.buyer }}',
            subject: 'Order {{ $trigger.order }}',
            text: 'It is on its way.',
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'tell' }],
    },
    receipt: { messageId: '<4f1c9d4e@example.com>', accepted: ['ada@example.com'], rejected: [] },
    outputs: { tell: { messageId: '<4f1c9d4e@example.com>', accepted: ['ada@example.com'], rejected: [] } },
  },
});

async function toBytes(content: string, contentType = ''): Promise<Buffer> {
  try {
    return await encodeText(content, contentType);
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error;
    throw refused(`cannot be sent as ${contentType}: ${error.message}`);
  }
}

/** Reads attachments one after another, so that no more of a file is in memory than may be sent. */
async function readAttachments(
  attachments: readonly Static<typeof Attachment>[],
  files: NodeFiles,
): Promise<MailAttachment[]> {
  const read: MailAttachment[] = [];
  let leftBytes = MAX_ATTACHMENT_BYTES;
  for (const attachment of attachments) {
    const one = await readAttachment(attachment, files, leftBytes);
    leftBytes -= one.content.byteLength;
    requireRoom(leftBytes);
    read.push(one);
  }
  return read;
}

async function readAttachment(
  { filename, file, content, encoding = 'utf8', contentType }: Static<typeof Attachment>,
  files: NodeFiles,
  leftBytes: number,
): Promise<MailAttachment> {
  if (file !== undefined && content === undefined) {
    const source = fileSource(file, files, 'attachments.file');
    requireRoom(leftBytes - (await source.open()).bytes);
    const name = filename ?? fileName(source.name);
    return {
      filename: name === '' ? 'file' : name,
      content: await readBytes(source, leftBytes),
      contentType: contentType ?? mediaTypeOf(source),
    };
  }
  if (filename === undefined || content === undefined || file !== undefined)
    throw refused('must have a file, or a filename with a content');
  const bytes = encoding === 'utf8' ? await toBytes(content, contentType) : Buffer.from(content, encoding);
  return { filename, content: bytes, contentType };
}

function attachmentIssues(attachment: JsonValue, path: string): ValidationIssue[] {
  if (!isJsonObject(attachment)) return [];
  const { filename, file, content } = attachment;
  if ((file === undefined) === (content === undefined)) return [{ path, message: 'must have a file or a content' }];
  return file === undefined && filename === undefined ? [{ path: `${path}.filename`, message: 'is required' }] : [];
}

function requireRoom(leftBytes: number): void {
  if (leftBytes < 0) throw refused(`must hold at most ${MAX_ATTACHMENT_BYTES} bytes in all`);
}

function refused(message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.attachments ${message}`, { isRetryable: false });
}
