import {
  compileBody,
  DeckhandError,
  FileLinkBody,
  FileLinkResponse,
  FileNameQuery,
  fileName,
  FileValue,
  mediaTypeOf,
} from '@deckhand/contracts';
import { findVisibleFile, linkFile } from '@deckhand/db';
import type { RunContext } from '../../contexts.ts';
import { noSuchFile, sendDownload } from '../../files/send-file.ts';
import { storeUpload } from '../../files/store-upload.ts';
import { readOptionalBody } from '../../http/read-body.ts';
import { readPaced } from '../../http/request-time.ts';
import { pathId, queryReader } from '../../http/read-request.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';

const readQuery = queryReader(FileNameQuery);
const DEFAULT_SECONDS = 7 * 86_400;

/** GET /api/executions/{id}/files/{fileId} */
export function getFile({ db, files, shares }: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/files/:fileId',
    'executions:read',
    {
      summary: 'Download a file of a run',
      description:
        'Returns the bytes of a file that the input or an output of the run names, or the `Range` of them. `name` is what a browser saves it as.',
      returns: 'The bytes',
      query: FileNameQuery,
      headers: { Range: 'One range of bytes, such as `bytes=0-1023`' },
      responses: { 200: 'application/octet-stream', 206: 'application/octet-stream' },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const ids = { executionId: pathId(request), fileId: pathId(request, 'fileId') };
      const { name = '' } = readQuery(request);
      const file = await findVisibleFile(db, caller, ids);
      if (!file) throw noSuchFile();
      await sendDownload(request, response, { files, shares, file, name: fileName(name) });
    },
  );
}

const parse = compileBody(FileLinkBody);

/** POST /api/executions/{id}/files/{fileId}/link */
export function createFileLink({ db, fileTokens, publicUrl }: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/:id/files/:fileId/link',
    'executions:write',
    {
      summary: 'Create a link to a file of a run',
      description:
        'Anybody with the link can download the file without a key, until the link expires or the data of the run is deleted. The link cannot be revoked otherwise.',
      returns: 'The link',
      body: FileLinkBody,
      responses: { 201: FileLinkResponse },
    },
    async (request, response, caller) => {
      const ids = { executionId: pathId(request), fileId: pathId(request, 'fileId') };
      const { expiresInSeconds = DEFAULT_SECONDS, name = '' } = parse(await readOptionalBody(request));
      const expiresAt = await linkFile(db, caller, ids, expiresInSeconds);
      const token = fileTokens.sign({ ...ids, expiresAt, name: fileName(name) });
      response.setHeader('Cache-Control', 'no-store');
      sendJson(response, 201, { url: `${publicUrl}/files/${token}`, expiresAt: expiresAt.toISOString() });
    },
  );
}

/** POST /api/workflows/{id}/files */
export function uploadFile(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/files',
    'workflows:write',
    {
      summary: 'Upload a file for a run',
      description:
        'Stores the body as a file of the workspace, with its `Content-Type`. Use the response as a part of the input of a run within 24 hours; otherwise the file is deleted. The same bytes have the same id.',
      returns: 'The file, as a value for an input',
      query: FileNameQuery,
      takesBytes: true,
      responses: { 201: FileValue },
      errors: ['INSTANCE_FULL', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'UNSUPPORTED_MEDIA_TYPE', 'workspace_over_quota'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const { name = '' } = readQuery(request);
      if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
        request.resume();
        throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the file without a Content-Encoding' });
      }
      const contentType = mediaTypeOf({ contentType: request.headers['content-type'] });
      try {
        const upload = { workflowId, name, contentType, content: readPaced(request) };
        sendJson(response, 201, await storeUpload(context, caller, upload));
      } catch (error) {
        request.resume();
        throw error;
      }
    },
  );
}
