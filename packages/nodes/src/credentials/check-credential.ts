import { modelUrl } from '@deckhand/contracts';
import {
  type HttpResponse,
  type NodeContext,
  NodeError,
  type NodeServices,
  type OpenedCredential,
  type OperationName,
} from '@deckhand/engine';
import { type CallContext, prepareCall } from '../connectors/call-operation.ts';
import type { MailClient } from '../email/send.ts';
import { requestUrl } from '../http/request-parts.ts';
import { createSender } from '../http/sender.ts';
import { sendWithinLimits } from '../http/traffic-limits.ts';
import { connectS3 } from '../s3/connection.ts';
import { excerpt } from '../text/limit.ts';

/** Maximum length of a response, in bytes. */
const MAX_RESPONSE_BYTES = 4_194_304;
/** The version of its API that Anthropic wants to be named. */
const ANTHROPIC_VERSION = '2023-06-01';

/** What a credential is checked with: an operation of a connector, an address, or the server that it is for. */
export type CheckTarget =
  | { readonly kind: 'operation'; readonly name: OperationName }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'server' };

/** What checking a credential needs. */
export interface CheckContext extends CallContext {
  readonly credentialId: string;
  readonly services: CallContext['services'] & Pick<NodeServices, 'postgres' | 'sftp'> & { readonly mail: MailClient };
}

/**
 * Sends one harmless request with a credential, as a node would.
 * @throws NodeError of what went wrong, such as HTTP_STATUS; the signal's reason once it aborts.
 */
export async function checkCredential(target: CheckTarget, context: CheckContext): Promise<void> {
  switch (target.kind) {
    case 'operation': {
      const call = { ...target.name, maxResponseBytes: MAX_RESPONSE_BYTES };
      const { url, send } = await prepareCall(call, context);
      await send(url, 0);
      return;
    }
    case 'url':
      return checkAddress(target.url, context);
    case 'server':
      return checkServer(context);
  }
}

async function checkAddress(address: string, context: CheckContext): Promise<void> {
  const { url } = requestUrl(address);
  const credential = await context.credential(url);
  // A redirect often leads to a page where people sign in, whose status says nothing about the credential.
  const sent = {
    credential,
    followRedirects: false,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    responseType: 'text',
  } as const;
  const response = await createSender(sent, context)(url, 0);
  const status = Number(response.status);
  if (status < 300) return;
  const message = `GET ${url.origin}${url.pathname} answered ${status}, which is not a success`;
  throw new NodeError('HTTP_STATUS', message, { isRetryable: false });
}

async function checkServer(context: CheckContext): Promise<void> {
  const credential = await context.credential();
  const { services, workspaceId, credentialId } = context;
  const signal = context.signal();
  switch (credential?.type) {
    case 'postgres':
      await services.postgres.query({
        ...{ owner: `${workspaceId} ${credentialId}`, connectionString: credential.secret.connectionString },
        ...{ text: 'SELECT 1', values: [], isReadOnly: true, maxRows: 1, signal },
        readFile: () => Promise.reject(new Error('a statement without values reads no file')),
      });
      return;
    case 'smtp':
      return services.mail.signIn({ server: credential.secret, signal });
    case 'sftp':
      await services.sftp.use({ server: credential.secret, workspaceId, credentialId, signal }, (session) =>
        session.list('.', 1),
      );
      return;
    case 's3': {
      const { bucket } = credential.secret;
      const query: Record<string, string> = bucket === undefined ? {} : { 'list-type': '2', 'max-keys': '1' };
      await connectS3(context, credential).send({ method: 'GET', bucket, query });
      return;
    }
    case 'model':
      return checkModels(credential, context);
    default:
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the credential is for no server of its own', {
        isRetryable: false,
      });
  }
}

/** Lists the models of a provider, which costs nothing. */
async function checkModels(
  { secret, traffic }: OpenedCredential & { readonly type: 'model' },
  { services, idempotencyKey, signal }: Pick<CheckContext, 'services' | 'idempotencyKey'> & Pick<NodeContext, 'signal'>,
): Promise<void> {
  const headers = keyHeaders(secret);
  const request = {
    ...{ method: 'GET', url: `${modelUrl(secret).replace(/\/+$/, '')}/models`, headers, body: undefined },
    ...{ secretHeaders: Object.keys(headers), followRedirects: false, maxResponseBytes: MAX_RESPONSE_BYTES },
    signal: signal(),
  };
  const limited = { services, limits: traffic, ticket: idempotencyKey, mayRest: true };
  const { answer } = await sendWithinLimits(request, limited);
  if (answer.status < 300) return;
  const message = `the provider responded with ${answer.status}: ${saidBy(answer)}`;
  throw new NodeError('MODEL_FAILED', message, { isRetryable: false });
}

/** Returns the header of a key as the client of its provider sends it. */
function keyHeaders({
  provider,
  apiKey,
}: (OpenedCredential & { readonly type: 'model' })['secret']): Readonly<Record<string, string>> {
  switch (provider) {
    case 'anthropic':
      return { 'x-api-key': apiKey ?? '', 'anthropic-version': ANTHROPIC_VERSION };
    case 'google':
      return { 'x-goog-api-key': apiKey ?? '' };
    default:
      return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  }
}

function saidBy({ body }: HttpResponse): string {
  return excerpt(Buffer.from(body).toString('utf8').trim());
}
