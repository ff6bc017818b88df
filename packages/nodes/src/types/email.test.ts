import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import type { MailMessage } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './email.ts';

const files = createMemoryFiles();

/** Runs the node with one attachment. @returns the message that it hands over to be sent. */
async function sent(attachment: JsonObject): Promise<MailMessage | undefined> {
  let given: MailMessage | undefined;
  const send = async (message: MailMessage) => {
    given = message;
    return { messageId: '<a@example.com>', accepted: [], rejected: [] };
  };
  const server = { host: 'mail.example.com', port: 25 };
  const credential = async () => ({ type: 'smtp', secret: server, ownOrigin: undefined, traffic: undefined }) as const;
  const parameters = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't', attachments: [attachment] };
  await node.run(parameters, nodeContext({ services: { ...NO_SERVICES, mail: { send } }, credential, files }));
  return given;
}

describe('an attachment', () => {
  it.each([
    ['in UTF-8', { content: 'ö', contentType: 'text/csv' }, '\xc3\xb6'],
    ['in the charset of its content type', { content: 'ö', contentType: 'text/csv; charset=iso-8859-1' }, '\xf6'],
    ['as it is', { content: '/wA=', encoding: 'base64', contentType: 'text/csv; charset=iso-8859-1' }, '\xff\0'],
  ])('is sent %s', async (_how, attachment, bytes) => {
    const message = await sent({ filename: 'a.csv', ...attachment });
    expect(Buffer.from(message?.attachments[0]?.content ?? '').toString('latin1')).toBe(bytes);
  });

  it('is refused where its charset lacks a character', async () => {
    const attachment = { filename: 'a.csv', content: '€', contentType: 'text/csv; charset=iso-8859-1' };
    await expect(sent(attachment)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', isRetryable: false });
  });

  it('is a file of the store, under its name and type unless others are given', async () => {
    const value = await files.save([Buffer.from([0xff, 0])], { name: 'scan.png', contentType: 'image/png' });
    for (const file of [value, value.file]) {
      const message = await sent({ file });
      expect(message?.attachments).toEqual([
        { filename: 'scan.png', content: Buffer.from([0xff, 0]), contentType: 'image/png' },
      ]);
    }
    const renamed = await sent({ ...value, filename: 'a.bin', contentType: 'application/x-a' });
    expect(renamed?.attachments[0]).toMatchObject({ filename: 'a.bin', contentType: 'application/x-a' });
    const inline = await sent({ file: { base64: '/wA=', contentType: 'image/png' } });
    expect(inline?.attachments[0]).toMatchObject({ filename: 'file', content: Buffer.from([0xff, 0]) });
  });

  it('is refused above 25 MB, also where its value says less', async () => {
    const value = await files.save([Buffer.alloc(26_214_401)], { name: 'large' });
    await expect(sent({ ...value })).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
    const madeUp = { file: { ...value.file, bytes: 1 } };
    await expect(sent(madeUp)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', isRetryable: false });
  });

  it.each([
    ['both', { file: {}, content: '', filename: 'a' }, 'attachments.0'],
    ['neither', { filename: 'a' }, 'attachments.0'],
    ['a content without a name', { content: 'a' }, 'attachments.0.filename'],
  ])('is a file or a named content, not %s', (_what, attachment, path) => {
    const parameters = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' };
    expect(node.check?.({ ...parameters, attachments: [attachment] })).toMatchObject([{ path }]);
  });
});
