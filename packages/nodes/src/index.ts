export { type BuiltInConnectors, createBuiltInConnectors } from './connectors/built-in.ts';
export { createConnectors } from './connectors/connectors.ts';
export { type Choice, listChoices } from './connectors/list-choices.ts';
export type { PagePosition } from './http/pagination.ts';
export { readConnector } from './connectors/read-connector.ts';
export {
  connectorSummary,
  type ConnectorTexts,
  operationDetails,
  operationEntry,
} from './connectors/stored-connector.ts';
export { checkCredential, type CheckContext, type CheckTarget } from './credentials/check-credential.ts';
export { createCredentialOpener, type OpenCredential } from './credentials/open-credential.ts';
export { createFairSemaphore } from './code/fair-semaphore.ts';
export { createFileProcesses } from './files/file-process.ts';
export { createScriptRunner, type PooledScriptRunner, type ScriptRunnerOptions } from './code/runner.ts';
export { createHttpClient, httpClientOptions, type HttpClientOptions, type PooledHttpClient } from './http/client.ts';
export type { ProxySettings } from './http/proxy.ts';
export { createMailSender, type MailClient } from './email/send.ts';
export { createProvider, type Provider } from './oauth2/provider.ts';
export { OAuth2Error } from './oauth2/provider-request.ts';
export {
  createSignOnProvider,
  type SignedOn,
  type SignOnAttempt,
  type SignOnProvider,
} from './oauth2/sign-on-provider.ts';
export {
  createTokenKeeper,
  type KeptTokens,
  readSecret,
  readTokens,
  sealIssued,
  type TokenKeeper,
} from './oauth2/token-keeper.ts';
export { createPostgresClient, type PooledPostgresClient } from './postgres/client.ts';
export { createSftpClient } from './sftp/client.ts';
export { loadNodeTypes } from './load-node-types.ts';
export { createInputChecker, type InputChecker, pathWithin } from './schemas/input-checker.ts';
export { findInputSchemas } from './schemas/input-schemas.ts';
export { createResultChecker } from './schemas/result-checker.ts';
export { createSchemaChecker, type SchemaChecker } from './schemas/schema-checker.ts';
export { cancellingEvents, findCancelIssues } from './trigger/cancel-on.ts';
export { compileTriggerOptions, withWorkflowKey } from './trigger/key-options.ts';
export { evaluateKey, evaluateOnTrigger } from './trigger/trigger-expression.ts';
export { type DueRule, nextDueTime } from './trigger/next-due.ts';
export { findScheduleIssues } from './trigger/schedule-issues.ts';
