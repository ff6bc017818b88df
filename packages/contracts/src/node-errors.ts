import type { ErrorText } from './error-texts.ts';

/** Codes of failures that a node of any type can have. */
const OF_EVERY_NODE = {
  PARAMETERS_INVALID: {
    when: 'A parameter does not have the form that the type needs. Expressions are known only while the node runs',
    retry: 'no',
  },
  EXPRESSION_FAILED: {
    when: 'An [expression](expressions.md) does not fit the data, such as a member of null; the message names the parameter and the position',
    retry: 'no',
  },
  EXPRESSION_BUDGET: { when: 'An expression takes too many steps, or its result is too large', retry: 'no' },
  NODE_TIMEOUT: {
    when: 'An attempt took longer than the `timeoutSeconds` of the node, or a script its limit',
    retry: 'yes',
  },
  NODE_INTERRUPTED: {
    when: 'Its worker died while it ran, and its `onInterrupt` is `fail`',
    retry: 'no',
  },
  NODE_FAILED: { when: 'An unexpected error; the message is that of the error', retry: 'yes' },
} as const satisfies Record<string, ErrorText>;

/** Codes of failures of nodes with a credential. */
const OF_CREDENTIALS = {
  CREDENTIAL_NOT_FOUND: { when: 'The workspace does not have the credential any more', retry: 'no' },
  CREDENTIAL_UNSUITABLE: {
    when: 'The node needs a credential of another type, or its value cannot be sent',
    retry: 'no',
  },
  CREDENTIAL_PRIVATE: {
    when: 'The credential is [private](credentials.md) to another person than the one who saved this version',
    retry: 'no',
  },
  CREDENTIAL_OTHER_WORKFLOW: { when: 'The credential is limited to other workflows', retry: 'no' },
  CREDENTIAL_HOST: {
    when: "The credential is limited to other hosts, or has an API key, which is sent to this instance's API only",
    retry: 'no',
  },
  CREDENTIAL_ENDED: { when: 'The API key in the credential was revoked or has expired', retry: 'no' },
  CREDENTIAL_NOT_CONNECTED: { when: 'Nobody has [connected](oauth.md) the OAuth 2.0 credential yet', retry: 'no' },
  CREDENTIAL_RECONNECT_NEEDED: {
    when: 'The provider refuses the tokens of the OAuth 2.0 credential, so a person must [connect it again](oauth.md#when-it-must-be-connected-again)',
    retry: 'no',
  },
  CREDENTIAL_REFRESH_FAILED: {
    when: 'The provider of the OAuth 2.0 credential could not be reached, or issued no token; the message has its response',
    retry: 'yes',
  },
  CREDENTIAL_UNREADABLE: {
    when: 'The secret cannot be decrypted with the keys of the worker, or has another form than its type',
    retry: 'no',
  },
} as const satisfies Record<string, ErrorText>;

const OF_TYPES = {
  ADDRESS_REFUSED: {
    when: 'The host has a private address, which nodes may not connect to ([security](security.md))',
    retry: 'no',
  },
  AGENT_MEMORY_FULL: {
    when: 'The workspace has 10,000 [memories](agents.md#memory), and `memory.key` names none of them',
    retry: 'no',
  },
  AGENT_TOKEN_LIMIT: {
    when: 'The answers of the [agent](agents.md) used as many tokens as `maxTokens`, and it is not done',
    retry: 'no',
  },
  AGENT_TURN_LIMIT: {
    when: 'The model of the [agent](agents.md) was asked `maxTurns` times, and it is not done',
    retry: 'no',
  },
  APPROVAL_TIMEOUT: { when: 'Nobody decided in time', retry: 'no' },
  CIRCUIT_OPEN: {
    when: 'Requests to the host fail, so the [circuit](credentials.md) of the credential lets none pass for a while',
    retry: 'once the circuit lets requests pass',
  },
  CODE_FAILED: { when: 'The script threw an error, or returned a value that is not JSON', retry: 'no' },
  CODE_LIMIT: { when: 'The script exceeded a limit, such as its memory or the size of its result', retry: 'no' },
  CONCURRENCY_LIMIT: {
    when: 'The [limit by a key](start-options.md#limits-by-a-key) is reached, and the start has `onLimit: reject`',
    retry: 'yes',
  },
  CONNECTOR_NOT_FOUND: {
    when: 'The workspace has no [connector](connectors.md) with this operation in this version, or not any more',
    retry: 'no',
  },
  CSV_INVALID: { when: 'The text is not CSV; the message names the row', retry: 'no' },
  EMAIL_ADDRESS_UNSUPPORTED: {
    when: 'An address has letters beyond ASCII before the @, and the server does not support SMTPUTF8',
    retry: 'no',
  },
  EMAIL_FAILED: {
    when: 'The server refused the mail; the message has its response',
    retry: 'after a status below 500',
  },
  EMAIL_UNREACHABLE: { when: 'There was no connection to the server, or it broke', retry: 'yes' },
  FAILED_BY_WORKFLOW: { when: 'A `fail` node ended the run', retry: 'no' },
  FILE_INVALID: {
    when: 'The file is not one of its format that can be read; the message says why',
    retry: 'no',
  },
  FILE_LIMIT: {
    when: 'What is in the file exceeds a limit, such as entries of an archive or pixels of an image, or reading it takes too much time or memory',
    retry: 'no',
  },
  FILE_NOT_FOUND: {
    when: 'The workspace does not have the file, or not any more ([files](files.md))',
    retry: 'no',
  },
  FILE_TOO_LARGE: {
    when: 'A file, or all files of the run, would be larger than the [limits](files.md#limits) allow',
    retry: 'no',
  },
  HTTP_NEXT_PAGE_INVALID: {
    when: 'With `pagination`, the next page is not a URL, or one of another origin',
    retry: 'no',
  },
  HTTP_REQUEST_FAILED: {
    when: 'The request got no response, or its redirects could not be followed',
    retry: 'unless it was a redirect',
  },
  HTTP_RESPONSE_FAILED: {
    when: 'The response has a status of success, and says that the service did not do what was asked',
    retry: 'yes',
  },
  HTTP_RESPONSE_INVALID: { when: 'The response cannot be parsed as `responseType` says', retry: 'no' },
  HTTP_STATUS: {
    when: 'The response has a status of 400 or more, and `acceptErrorStatus` is not set',
    retry: 'after 408, 425, 429, 500 and above',
  },
  HTTP_TOO_MANY_PAGES: { when: 'With `pagination`, there are more pages than `maxPages`', retry: 'no' },
  HUMAN_TIMEOUT: { when: 'Nobody submitted the form in time', retry: 'no' },
  INPUT_INVALID: {
    when: 'The input does not fit the [schema](workflows.md#inputs-and-results-with-a-schema) of the started workflow; the message names the fields',
    retry: 'no',
  },
  JSON_INVALID: { when: 'The text is not JSON; the message names the place', retry: 'no' },
  LOCK_TIMEOUT: { when: 'The lock was not free in time', retry: 'no' },
  LOCK_WAITING: {
    when: 'The lock is held by another run. Only attempts of the node have this code',
    retry: 'always, until it gets the lock or its time is up',
  },
  LOOP_TOO_LONG: { when: 'There are more items or iterations than `maxIterations`', retry: 'no' },
  MEMORY_EXCEEDED: { when: 'The worker has no memory for so much data at the moment', retry: 'yes' },
  MERGE_INCOMPLETE: { when: 'Fewer branches came than `count`', retry: 'no' },
  MODEL_BUDGET_EXCEEDED: {
    when: 'With this call, the workspace could exceed its [tokens or costs of a month](models.md#budgets): `error.usedTokens` and `error.maxTokens`, or `error.usedMicroUsd` and `error.maxMicroUsd`',
    retry: 'no',
  },
  MODEL_FAILED: {
    when: 'The provider of the [language model](models.md) responded with a status of 400 or more; the message has what it said',
    retry: 'after 408, 409, 425, 429, and from 500 on',
  },
  MODEL_OUTPUT_CUT: {
    when: 'The answer of the [agent](agents.md) was cut at its maximum length, and does not fit `outputSchema`: raise `maxOutputTokens`',
    retry: 'no',
  },
  MODEL_OUTPUT_INVALID: {
    when: 'The response of the language model does not fit `outputSchema`, also after `maxRepairs`; `error.text` has it',
    retry: 'yes',
  },
  MODEL_PRICE_UNKNOWN: {
    when: 'The workspace has a limit of [costs](models.md#costs), and the price of the model is unknown: an administrator of the instance can set it',
    retry: 'no',
  },
  MODEL_RESPONSE_INVALID: {
    when: 'The response is not one of the API of the provider: it is cut off, or comes from another server',
    retry: 'yes',
  },
  MOCKED: {
    when: 'In a [test](workflows-as-code.md#tests), a mock has an `error` without a `code`',
    retry: 'unless the mock has `retry: false`',
  },
  NODE_BUDGET: { when: 'It takes too many steps, about 10 s of work', retry: 'no' },
  NOT_A_NUMBER: { when: 'A value to add up is not a number', retry: 'no' },
  NOT_MOCKED: {
    when: 'In a [test](workflows-as-code.md#tests), a node with effects outside has no mock',
    retry: 'no',
  },
  NO_ACTIVE_VERSION: { when: 'The started workflow has no active version', retry: 'no' },
  POSTGRES_FAILED: {
    when: 'The server refused the statement; the message begins with the SQLSTATE',
    retry: 'after errors that pass, such as a deadlock (40P01)',
  },
  POSTGRES_RESPONSE_INVALID: { when: 'The server violates the protocol of PostgreSQL', retry: 'no' },
  POSTGRES_UNREACHABLE: { when: 'There was no connection to the server, or it broke', retry: 'yes' },
  RATE_LIMITED: {
    when: 'The [rate limit](credentials.md) of the credential does not allow the request yet',
    retry: 'at the time that the limit allows',
  },
  RESPONSE_TOO_LARGE: { when: 'The response, or a part of it, is larger than its limit', retry: 'no' },
  RESULT_INVALID: {
    when: 'In the modes `test` and `debug`, the result does not fit `bodySchema`; the message names the fields',
    retry: 'no',
  },
  RESULT_TOO_LARGE: { when: 'The output would be too large', retry: 'no' },
  S3_EXISTS: { when: 'There is an object with the key already, and `overwrite` is false', retry: 'no' },
  S3_FAILED: {
    when: 'The store refused the request; the message has its status, code and reason',
    retry: 'after 408, 425, 429, 500 and above, and codes of errors that pass, such as `SlowDown`',
  },
  S3_NOT_FOUND: { when: 'The object or the bucket does not exist', retry: 'no' },
  SFTP_EXISTS: { when: 'There is something else at the path, and `overwrite` is false', retry: 'no' },
  SFTP_FAILED: {
    when: 'The server refused the operation, or violates the protocol; the message has its response',
    retry: 'after a failure without a reason (status 4)',
  },
  SFTP_HOST_KEY: {
    when: 'The key of the server has another fingerprint than the credential; the message has the one that was seen',
    retry: 'no',
  },
  SFTP_LOGIN_FAILED: { when: 'The server does not accept the user with the password or key', retry: 'no' },
  SFTP_NOT_FOUND: { when: 'The file or folder does not exist', retry: 'no' },
  SFTP_UNREACHABLE: { when: 'There was no connection to the server, or it broke', retry: 'yes' },
  SIGNATURE_INVALID: { when: 'The signature is not that of the data', retry: 'no' },
  STORAGE_FULL: {
    when: 'The file does not fit into the storage quota of the workspace, or into the space of the instance',
    retry: 'yes',
  },
  TEXT_TOO_LARGE: { when: 'A text to work on is too long', retry: 'no' },
  WORKFLOW_FAILED: { when: 'The started run did not end with `success`; the message has its error', retry: 'no' },
  WORKFLOW_NOT_STARTED: {
    when: 'The workflow or the version does not exist, or the workspace is over its quota or starts runs too quickly',
    retry: 'over a quota or rate always, otherwise never',
  },
  XML_INVALID: { when: 'The text is not XML that can be read', retry: 'no' },
} as const satisfies Record<string, ErrorText>;

/**
 * Codes of failed nodes: when a node fails with it, and whether its `retry` tries it again. Texts are Markdown, and
 * links are those of docs/. A node type names the codes of its own (`errors`).
 */
export const NODE_ERRORS: Readonly<Record<NodeErrorCode, ErrorText>> = {
  ...OF_EVERY_NODE,
  ...OF_CREDENTIALS,
  ...OF_TYPES,
};

/** A code that a node type can name. */
export type NodeErrorCode = keyof typeof OF_EVERY_NODE | keyof typeof OF_CREDENTIALS | keyof typeof OF_TYPES;

function codesOf<Code extends string>(texts: Readonly<Record<Code, ErrorText>>): readonly Code[] {
  return Object.keys(texts).filter((code): code is Code => Object.hasOwn(texts, code));
}

/** Codes that a node of any type can fail with. */
export const ERRORS_OF_EVERY_NODE = codesOf(OF_EVERY_NODE);
/** Codes that every node with a credential can fail with. */
export const ERRORS_OF_CREDENTIALS = codesOf(OF_CREDENTIALS);
