import {
  type Action,
  actionRequest,
  type Connector,
  errorMessage,
  isFailure,
  nextPage,
  RequestError,
} from '@deckhand/connectors';
import { compileNullRemoval, isJsonObject, type JsonObject, type ValidationIssue } from '@deckhand/contracts';
import { type ConnectorOperation, NodeError } from '@deckhand/engine';

/** A connector without its operations. */
export type ConnectorHead = Omit<Connector, 'actions'>;

/** An operation as it is stored: JSON of a connector without its operations, and of the operation. */
export interface StoredOperation {
  readonly head: string;
  readonly action: string;
}

/** Checks values against the schema of an operation. */
type CheckValues = (values: JsonObject) => Promise<readonly ValidationIssue[]>;

/** Opens an operation of a connector for the nodes that call it. */
export function openOperation(
  head: ConnectorHead,
  action: Action,
  check: CheckValues,
): Omit<ConnectorOperation, 'isBuiltIn'> {
  const { schema } = action.operation;
  const removeNulls = compileNullRemoval(schema);
  const withoutNulls = (values: JsonObject): JsonObject => {
    const rest = removeNulls?.(values);
    return isJsonObject(rest) ? rest : values;
  };
  return {
    schema,
    paging: action.paging,
    options: action.options,
    idempotencyHeader: action.idempotencyHeader,
    credentials: head.credentials ?? [],
    rateLimit: head.limits,
    check: (values) => check(withoutNulls(values)),
    request(values) {
      try {
        return actionRequest(head, action, withoutNulls(values));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        const message = `parameters.values.${error.path} ${error.message}`;
        throw new NodeError('PARAMETERS_INVALID', message, { isRetryable: false, cause: error });
      }
    },
    nextPage: (body) => (action.paging ? nextPage(action.paging, body) : null),
    isFailure: (body) => isFailure(head, body),
    errorMessage: (body) => errorMessage(head, body),
  };
}
