export { buildRequest, type ConnectorRequest, RequestError } from './build-request.ts';
export { DocumentError, parseDocument } from './document.ts';
export type { Operation, SecurityScheme } from './operation.ts';
export { type Api, type OperationSummary, readApi } from './read-api.ts';
export { sampleValue } from './sample-value.ts';
