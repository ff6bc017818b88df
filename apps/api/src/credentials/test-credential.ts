import {
  type CredentialTest,
  goesAnywhere,
  type TestCredentialBody,
  type ValidationIssue,
  validationFailed,
} from '@deckhand/contracts';
import {
  type Database,
  readCredentialToTry,
  recordTrial,
  storeCredentialTest,
  type TriedCredential,
} from '@deckhand/db';
import { checkCredential, type CheckContext, type CheckTarget } from '@deckhand/nodes';
import type { Caller } from '../auth/caller.ts';
import type { TestOperationFinder } from '../connectors/test-operation.ts';
import type { TryCredential } from './try-credential.ts';

/** What testing credentials needs. */
export interface CredentialTestParts {
  readonly db: Database;
  readonly tryCredential: TryCredential;
  readonly findTestOperation: TestOperationFinder;
}

/** Codes of failures that say nothing about the credential. */
const SAYS_NOTHING = new Set(['CALLER_LEFT', 'CIRCUIT_OPEN', 'NODE_TIMEOUT', 'RATE_LIMITED']);

/** Which credential is tested with what. `gone` aborts once the caller has left. */
export interface TestRequest {
  readonly id: string;
  readonly body: TestCredentialBody;
  readonly gone: AbortSignal;
}

/**
 * Sends a harmless request with a credential, and remembers the result with it, unless the result says nothing about
 * it. The audit log has the test before anything is sent.
 * @throws DeckhandError as `readCredentialToTry` does; VALIDATION_FAILED; RATE_LIMITED.
 */
export async function testCredential(
  { db, tryCredential, findTestOperation }: CredentialTestParts,
  caller: Caller,
  { id, body, gone }: TestRequest,
): Promise<CredentialTest> {
  const credential = await readCredentialToTry(db, caller, id);
  const target = await targetOf(credential, body, findTestOperation);
  const work = async (context: CheckContext): Promise<null> => {
    await recordTrial(db, caller, credential, { action: 'credential.test', details: detailsOf(target) });
    await checkCredential(target, context);
    return null;
  };
  const outcome = await tryCredential(credential, work, gone);
  const failed = outcome.kind === 'failure' ? outcome.failure : undefined;
  const result: CredentialTest = {
    ok: failed === undefined,
    code: failed?.code ?? null,
    message: failed?.message ?? null,
    testedAt: new Date().toISOString(),
  };
  if (!SAYS_NOTHING.has(failed?.code ?? '')) await storeCredentialTest(db, credential, result);
  return result;
}

/** Returns where a credential is sent, without a path or a query: these may have a secret. */
function detailsOf(target: CheckTarget): Readonly<Record<string, string>> {
  switch (target.kind) {
    case 'operation':
      return { connector: target.name.connector, version: target.name.version };
    case 'url':
      return { origin: new URL(target.url).origin };
    case 'server':
      return {};
  }
}

/** Returns what a credential is tested with. @throws DeckhandError VALIDATION_FAILED that names the field. */
async function targetOf(
  { workspaceId, type }: TriedCredential,
  { connector, version, url }: TestCredentialBody,
  findTestOperation: TestOperationFinder,
): Promise<CheckTarget> {
  const given = Object.entries({ connector, version, url }).flatMap(([path, value]) =>
    value === undefined ? [] : path,
  );
  if (!goesAnywhere(type)) {
    const message = `is not for a credential of type ${type}, which names its server itself`;
    if (given.length > 0) throw validationFailed(given.map((path) => ({ path, message })));
    return { kind: 'server' };
  }
  if (url !== undefined) {
    if (connector !== undefined || version !== undefined) throw refused('url', 'must not be given with a connector');
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw refused('url', 'must be an absolute http or https address');
    return { kind: 'url', url };
  }
  if (connector === undefined)
    throw refused('url', `or a connector is required: a credential of type ${type} does not say what it is for`);
  if (version === undefined) throw refused('version', 'is required with a connector');
  const operation = await findTestOperation(workspaceId, { name: connector, version });
  if (operation === undefined)
    throw refused('connector', 'does not exist in this version, or names no harmless request');
  return { kind: 'operation', name: { connector, version, operation } };
}

function refused(path: string, message: string): Error {
  const issue: ValidationIssue = { path, message };
  return validationFailed([issue]);
}
