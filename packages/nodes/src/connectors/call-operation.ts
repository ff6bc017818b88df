import {
  type CredentialRateLimit,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PackPaging,
} from '@deckhand/contracts';
import {
  type ConnectorOperation,
  type NodeContext,
  NodeError,
  type NodeServices,
  type OpenedCredential,
  type OperationName,
} from '@deckhand/engine';
import type { Pagination } from '../http/pagination.ts';
import { requestUrl } from '../http/request-parts.ts';
import { createSender, type SentRequest } from '../http/sender.ts';
import type { SenderContext } from '../http/sender-context.ts';

/** The part of a node's context with which an operation is called. */
export interface CallContext extends SenderContext {
  readonly workspaceId: string;
  readonly credentialId: string | undefined;
  readonly credential: NodeContext['credential'];
  readonly services: SenderContext['services'] & Pick<NodeServices, 'connectors'>;
}

/** An operation, its values, and how its responses are read. */
export interface OperationCall
  extends OperationName, Pick<SentRequest, 'responseType' | 'maxResponseBytes' | 'acceptErrorStatus'> {
  readonly values?: JsonObject | undefined;
}

/** A call that can be sent. */
export interface PreparedCall {
  readonly operation: ConnectorOperation;
  /** Of the first page. */
  readonly url: URL;
  /** Sends the request to the URL of a page, of the number from 0. */
  readonly send: ReturnType<typeof createSender>;
}

/**
 * Prepares the call of an operation of a connector.
 * @returns a function that throws NodeError HTTP_RESPONSE_FAILED for a response that says that the service did not do
 * what was asked, and what `createSender` throws.
 * @throws NodeError CONNECTOR_NOT_FOUND, PARAMETERS_INVALID, CREDENTIAL_UNSUITABLE, and those of the credential.
 */
export async function prepareCall(call: OperationCall, context: CallContext): Promise<PreparedCall> {
  const { values = {} } = call;
  const operation = await findOperation(call, context);
  const issues = await operation.check(values);
  if (issues.length > 0) throw invalidValues(issues);
  const request = operation.request(values);
  const { url, authorization } = requestUrl(request.url);
  const opened = await context.credential(url);
  const credential = opened && withLimit(opened, operation.rateLimit, context.credentialId);
  const send = createSender(
    {
      ...call,
      ...request,
      authorization,
      credential,
      ...placeOf(opened, operation),
      idempotencyHeader: operation.idempotencyHeader,
      errorMessage: (body) => operation.errorMessage(body),
    },
    context,
  );
  return {
    operation,
    url,
    async send(at, number) {
      const response = await send(at, number);
      if (call.acceptErrorStatus !== true)
        refuseFailure(response, operation, `${request.method} ${at.origin}${at.pathname}`);
      return response;
    },
  };
}

/** @throws NodeError CONNECTOR_NOT_FOUND. */
export async function findOperation(
  { connector, version, operation }: OperationName,
  { services, workspaceId }: Pick<CallContext, 'services' | 'workspaceId'>,
): Promise<ConnectorOperation> {
  const found = await services.connectors.find(workspaceId, { connector, version, operation });
  if (found) return found;
  const message = `the workspace has no operation ${operation} of the connector ${connector} ${version}`;
  throw new NodeError('CONNECTOR_NOT_FOUND', message, { isRetryable: false });
}

/** Returns a credential with the limit of the connector, if it has none of its own. */
function withLimit(
  credential: OpenedCredential,
  rateLimit: CredentialRateLimit | undefined,
  credentialId: string | undefined,
): OpenedCredential {
  const { traffic } = credential;
  if (!rateLimit || credentialId === undefined || traffic?.rateLimit) return credential;
  const limited = { credentialId, circuit: traffic?.circuit ?? null, rateLimit };
  return { ...credential, traffic: limited };
}

/** What a secret in a path may have, so that it is a part of one step of it. */
const PATH_SECRET = /^[\w.:~-]{1,1000}$/;

/**
 * Returns where a request has the secret of a credential, by the preset that the credential fits.
 * @throws NodeError CREDENTIAL_UNSUITABLE if it fits none of them, or cannot be where the preset wants it.
 */
function placeOf(
  credential: OpenedCredential | undefined,
  { credentials }: ConnectorOperation,
): Pick<SentRequest, 'apiKeyHeader' | 'pathSecret' | 'followRedirects'> {
  if (!credential) {
    if (credentials.every(({ path }) => path === undefined)) return {};
    throw unsuitable('the connector needs a credential, which is a part of its addresses');
  }
  const type = credential.renew ? 'oauth2' : credential.type;
  const preset = credentials.find((each) => each.type === type);
  if (!preset && credentials.length > 0) {
    const types = credentials.map((each) => each.type).join(', ');
    throw unsuitable(`the connector takes a credential of type ${types}, and not ${type}`);
  }
  if (preset?.path === undefined || credential.type !== 'apiKey') return { apiKeyHeader: preset?.header };
  const { value } = credential.secret;
  if (!PATH_SECRET.test(value) || /^\.+$/.test(value))
    throw unsuitable('the credential has a character that cannot be a part of the addresses of the connector');
  // What a service redirects to may have the secret, and is not ours to hide.
  return { pathSecret: value, followRedirects: false };
}

function unsuitable(message: string): NodeError {
  return new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
}

/**
 * @param request without the query, which may contain a secret.
 * @throws NodeError HTTP_RESPONSE_FAILED for a response that says that the service did not do what was asked.
 */
function refuseFailure(response: JsonObject, operation: ConnectorOperation, request: string): void {
  const body = bodyOf(response);
  if (!operation.isFailure(body)) return;
  const message = `${request} says that it failed: ${operation.errorMessage(body) ?? 'without a message'}`;
  throw new NodeError('HTTP_RESPONSE_FAILED', message, {
    isRetryable: true,
    details: { status: response.status ?? null, body },
  });
}

/** Returns how the pages of an operation are read, as one list of their items. */
export function toPagination({ mode, parameter, start, items }: PackPaging, maxPages: number | undefined): Pagination {
  return {
    mode: mode === 'cursor' || mode === 'url' ? 'next' : mode,
    output: 'items',
    ...(parameter !== undefined && { parameter }),
    ...(start !== undefined && { start }),
    ...(items !== undefined && { items }),
    ...(maxPages !== undefined && { maxPages }),
  };
}

/** Returns the body of a response as nodes return it. */
export function bodyOf(page: JsonValue): JsonValue {
  return isJsonObject(page) ? (page.body ?? null) : null;
}

function invalidValues(issues: readonly { readonly path: string; readonly message: string }[]): NodeError {
  const text = issues.map(({ path, message }) => `parameters.values${path === '' ? '' : `.${path}`} ${message}`);
  return new NodeError('PARAMETERS_INVALID', text.join('; '), { isRetryable: false });
}
