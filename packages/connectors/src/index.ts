export { actionRequest, errorMessage, isFailure, nextPage } from './action-request.ts';
export { buildRequest, type ConnectorRequest, RequestError } from './build-request.ts';
export { DocumentError, parseDocument } from './document.ts';
export {
  type Action,
  composeConnector,
  type Connector,
  type PackFiles,
  type PackIssue,
  type PackSource,
  readPack,
} from './load-pack.ts';
export type { Operation, SecurityScheme } from './operation.ts';
export { type Api, type OperationSummary, readApi } from './read-api.ts';
export { n8nTables } from './n8n-tables.ts';
export { sampleValue } from './sample-value.ts';
