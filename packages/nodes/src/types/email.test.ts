import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import type { MailMessage } from '@deckhand/engine';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './email.ts';

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
  await node.run(parameters, nodeContext({ services: { ...NO_SERVICES, mail: { send } }, credential }));
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
});
